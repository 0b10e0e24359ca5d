# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What NumPy and SciPy write, the library reads; what it writes of that, they read as the same numbers.

    interop_npy.py PATH/TO/snack_tests

With SNACK_MATRICES, a folder, its Matrix Market files are compared too. Status 77, which ctest shows as skipped, if
numpy is not installed; without scipy, Matrix Market is left out.
"""

import io
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}; pip install numpy scipy")
    sys.exit(77)
try:
    import scipy
    import scipy.io
except ImportError:
    scipy = None


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def same(a, b):
    """The same bits, or NaN of the same sign."""
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    nans = np.isnan(a) & np.isnan(b) & (np.signbit(a) == np.signbit(b))
    return a.shape == b.shape and a.dtype == b.dtype and bool(np.all(nans | ((a == b) & (np.signbit(a) == np.signbit(b)))))


def arrays():
    rng = np.random.default_rng(1)
    for code in ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"]:
        values = rng.integers(0, 2 if code == "b1" else 100, (7, 5)) * (-1 if code[0] in "fi" else 1)
        for order in "<>":
            yield f"{code}{'big' if order == '>' else ''}", values.astype(order + code)
        yield f"{code}fortran", np.asfortranarray(values.astype(code))
    special = np.array([[0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 1e-45, 1e300, 0.1]])
    yield "special", special
    yield "specialfloat", np.array([[-0.0, np.inf, np.nan, 1e-45, 0.1]], "f4")
    yield "cube", rng.random((3, 4, 5))
    yield "fortrancube", np.asfortranarray(rng.random((3, 4, 5)))
    yield "large", rng.random((1000, 700))
    yield "largefortran", np.asfortranarray(rng.random((1000, 700)).astype("f4"))
    yield "vector", np.arange(6.0)
    yield "number", np.array(2.5)
    yield "norows", np.zeros((0, 3))
    yield "nocolumns", np.zeros((3, 0))


def write_arrays(folder):
    written = dict(arrays())
    for name, array in written.items():
        for version in [(1, 0), (2, 0), (3, 0)]:
            with open(folder / f"{name}{version[0]}.npy", "wb") as file:
                np.lib.format.write_array(file, array, version=version)
    return {f"{name}{version}.npy": array for name, array in written.items() for version in (1, 2, 3)}


def check_arrays(folder, written):
    for name, array in written.items():
        matrix = array.reshape(array.shape[0] if array.ndim else 1, int(np.prod(array.shape[1:])))
        for code in ("f8", "f4"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of numbers beyond float
                wanted = np.ascontiguousarray(matrix, code)
            path = folder / f"{name}.{code}"
            with open(path, "rb") as file:
                check(same(np.load(file), wanted), path.name)
            reference = io.BytesIO()
            np.save(reference, wanted)
            if b" " * 21 in reference.getvalue()[:128]:  # NumPy leaves room to append rows since version 1.24
                check(path.read_bytes()[:128] == reference.getvalue()[:128], f"header of {path.name}")


def matrices():
    rng = np.random.default_rng(2)
    coo = scipy.sparse.random(50, 40, 0.1, format="coo", random_state=rng)
    yield "general", coo, {"precision": 17}
    yield "integer", (coo * 1000).astype("i8").tocoo(), {}
    yield "pattern", coo, {"field": "pattern"}
    square = scipy.sparse.random(30, 30, 0.1, format="coo", random_state=rng)
    yield "symmetric", (square + square.T).tocoo(), {"symmetry": "symmetric", "precision": 17}
    yield "skew", (square - square.T).tocoo(), {"symmetry": "skew-symmetric", "precision": 17}
    yield "array", rng.random((6, 5)) - 0.5, {"precision": 17}
    full = rng.random((6, 6))
    yield "arraysymmetric", full + full.T, {"symmetry": "symmetric", "precision": 17}
    yield "arrayskew", full - full.T, {"symmetry": "skew-symmetric", "precision": 17}
    yield "empty", scipy.sparse.coo_matrix((3, 4)), {}


def entries(path):
    """A matrix as SciPy reads it: dense, or as sorted triples and a shape."""
    matrix = scipy.io.mmread(path)
    if not scipy.sparse.issparse(matrix):
        return [np.asarray(matrix, "f8")]
    order = np.lexsort((matrix.col, matrix.row))
    return [np.array(matrix.shape, "f8"), matrix.row[order].astype("f8"), matrix.col[order].astype("f8"),
            matrix.data[order].astype("f8")]


def copy_given_matrices(folder):
    """Those of SNACK_MATRICES that SciPy reads as real ones; it reads some that are malformed, too."""
    for path in sorted(pathlib.Path(os.environ.get("SNACK_MATRICES", folder)).rglob("*.mtx")):
        try:
            if "mangled" in path.name:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                entries(path)
        except Exception:  # malformed on purpose, or complex
            continue
        (folder / f"given_{path.name}").write_bytes(path.read_bytes())


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    written = write_arrays(folder)
    if scipy:
        copy_given_matrices(folder)
        for name, matrix, options in matrices():
            scipy.io.mmwrite(folder / f"{name}.mtx", matrix, **options)
    subprocess.run([sys.argv[1], "interop: arrays and matrices are read and written"], check=True,
                   env={**os.environ, "SNACK_INTEROP": str(folder)})
    check_arrays(folder, written)
    count = 0
    for path in sorted(folder.glob("*.mtx")):
        ours, theirs = entries(f"{path}.back"), entries(path)
        check(len(ours) == len(theirs) and all(map(same, ours, theirs)), path.name)
        count += 1
print(f"numpy {np.__version__}, scipy {scipy.__version__ if scipy else 'not installed, so no Matrix Market'}: "
      f"{len(written)} arrays and {count} matrices passed")

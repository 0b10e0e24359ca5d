#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the sparse products of PyTorch, CuPy and JAX, and PyTorch's dense ones, on the matrices of the tables.

    snack_bench_gpu --dump=MATRICES
    frameworks.py MATRICES RESULTS_FOLDER

Writes RESULTS_FOLDER/frameworks.csv with the columns of the other files. Each product is compared with sums in double
before it is timed. A framework that is not installed has one row that says so. PyTorch's products are captured in CUDA
graphs; what cannot be captured, and the others, are launched one by one between two events, so that for small matrices
their time is that of the launches, which is what their users get. Calls take turns over copies that hold 200 MB together,
however many that takes. The versions go to a line of RESULTS_FOLDER/machine.txt.
"""

import math
import os
import re
import statistics
import sys
import time
from pathlib import Path

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX would take most of the memory

BATCHES = (1, 4)
COLD_BYTES = 200_000_000
CALLS = 20
SAMPLES = 9
HEADER = ("operation,method,out_features,in_features,sparsity,batch,layout,cache,median_us,min_us,calls,copies,"
          "memory_bytes,peak_bytes,prepare_us,watts,joules_per_call,note\n")


class Matrix:
    """One matrix of the dump, as numpy arrays."""

    def __init__(self, path):
        import numpy
        self.out_features, self.in_features = (int(part) for part in re.match(r"(\d+)x(\d+)_", path.name).groups())
        stem = str(path)[:-len(".rows.npy")]
        self.sparsity = float(Path(stem).name.split("_")[1])
        self.rows, self.columns, self.values = (numpy.load(f"{stem}.{part}.npy") for part in ("rows", "columns", "values"))

    def copies(self, bytes_of_one):
        return math.ceil(COLD_BYTES / bytes_of_one)


def tell_versions(path, modules):
    """Puts a line with the versions of `modules` in place of that of an earlier run. It begins with "command: ", so that
    `snack_bench_gpu --append` keeps it."""
    begin = "command: frameworks.py"
    lines = path.read_text().splitlines() if path.exists() else []
    versions = ", ".join(f"{module.__name__} {module.__version__}" for module in modules)
    path.write_text("\n".join([*(line for line in lines if not line.startswith(begin)), f"{begin} with {versions}"]) + "\n")


class Table:
    """The file, written row by row."""

    def __init__(self, path):
        self.file = open(path, "w")
        self.file.write(HEADER)
        self.faults = 0

    def row(self, method, matrix=None, batch=0, times=(), calls=0, copies=0, memory=0, note=""):
        median = f"{statistics.median(times):.3f}" if times else ""
        least = f"{min(times):.3f}" if times else ""
        out, inside, sparsity = (matrix.out_features, matrix.in_features, f"{matrix.sparsity:.3f}") if matrix else (0, 0, "")
        note = note.replace('"', "'").splitlines()[0] if note else ""
        self.faults += note.startswith("wrong")
        self.file.write(f"forward,{method},{out},{inside},{sparsity},{batch},column_major,cold,{median},{least},{calls},"
                        f"{copies},{memory or ''},,,,,\"{note}\"\n")
        self.file.flush()
        print(f"{method:24} {out:>6} {batch:>3} {median:>12} us {note}", file=sys.stderr)


def exact(torch, matrix, x):
    """The product in double, and the bound of a sum in float: min(16, entries of the row + 1) roundoffs of the sum of
    magnitudes."""
    rows = torch.as_tensor(matrix.rows, device="cuda").long()
    terms = torch.as_tensor(matrix.values, device="cuda").double()[:, None] * \
        x.double()[torch.as_tensor(matrix.columns, device="cuda").long()]
    y = torch.zeros(matrix.out_features, x.shape[1], device="cuda", dtype=torch.float64)
    magnitude = torch.zeros_like(y)
    y.index_add_(0, rows, terms)
    magnitude.index_add_(0, rows, terms.abs())
    count = torch.bincount(rows, minlength=matrix.out_features).double()[:, None]
    return y, (count + 1).clamp(max=16) * 2.0 ** -24 * magnitude


def fault(torch, got, y, bound):
    wrong = int((~((got.double() - y).abs() <= bound)).sum())
    return f"wrong: {wrong} of {y.numel()} elements of y" if wrong else ""


def measure(table, torch, method, matrix, batch, x, make, multiply, bytes_of_one, to_torch, timer):
    """make() is one copy of the matrix, multiply(copy) the product, to_torch(product) the same as a tensor; timer(calls)
    returns (samples in us a call, calls, a note)."""
    try:
        copies = [make() for _ in range(matrix.copies(bytes_of_one))]
        note = fault(torch, to_torch(multiply(copies[0])), *exact(torch, matrix, x))
        if note:
            table.row(method, matrix, batch, note=note)
            return
        for copy in copies:
            multiply(copy)
        calls = len(copies) * math.ceil(CALLS / len(copies))
        times, note = timer(lambda: [multiply(copies[i % len(copies)]) for i in range(calls)], calls)
        table.row(method, matrix, batch, times, calls, len(copies), bytes_of_one, note)
    except Exception as error:  # an absent product, or no memory: the row says which
        table.row(method, matrix, batch, note=f"skipped: {type(error).__name__}: {error}")


def torch_timer(torch):
    def between_events(run, calls):
        run()
        torch.cuda.synchronize()
        times = []
        for _ in range(SAMPLES):
            start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            run()
            stop.record()
            torch.cuda.synchronize()
            times.append(1e3 * start.elapsed_time(stop) / calls)
        return times

    def timer(run, calls):
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph):
                run()
        except Exception:
            torch.cuda.synchronize()
            return between_events(run, calls), "launched one by one"
        return between_events(graph.replay, calls), ""

    return timer


def torch_rows(table, torch, matrix, batch, x):
    on_gpu = {name: torch.as_tensor(getattr(matrix, name), device="cuda") for name in ("rows", "columns", "values")}
    shape = (matrix.out_features, matrix.in_features)
    nnz = len(matrix.values)

    def coo():
        indices = torch.stack([on_gpu["rows"].long(), on_gpu["columns"].long()])
        return torch.sparse_coo_tensor(indices, on_gpu["values"].clone(), shape, is_coalesced=True)

    def dense(value):
        w = torch.zeros(shape, device="cuda")
        w[on_gpu["rows"].long(), on_gpu["columns"].long()] = value
        return w

    timer = torch_timer(torch)
    same = lambda y: y  # noqa: E731
    cells = 4 * shape[0] * shape[1]
    sample_rows = x.t().contiguous()
    linear = torch.nn.functional.linear
    for method, make, multiply, size, back in (
            ("torch_sparse_coo", coo, lambda w: torch.sparse.mm(w, x), 20 * nnz, same),
            ("torch_sparse_csr", lambda: coo().to_sparse_csr(), lambda w: torch.sparse.mm(w, x), 12 * nnz, same),
            ("torch_dense", lambda: dense(on_gpu["values"]), lambda w: linear(sample_rows, w), cells, lambda y: y.t()),
            ("torch_masked", lambda: (dense(on_gpu["values"]), dense(1.0)), lambda w: linear(sample_rows, w[0] * w[1]),
             2 * cells, lambda y: y.t())):
        measure(table, torch, method, matrix, batch, x, make, multiply, size, back, timer)


def cupy_rows(table, torch, matrix, batch, x):
    import cupy
    import cupyx.scipy.sparse as sparse
    arrays = [cupy.asarray(getattr(matrix, name)) for name in ("values", "rows", "columns")]
    shape = (matrix.out_features, matrix.in_features)
    operand = cupy.asfortranarray(cupy.asarray(x.cpu().numpy()))

    def timer(run, calls):
        run()
        cupy.cuda.Device().synchronize()
        times = []
        for _ in range(SAMPLES):
            start, stop = cupy.cuda.Event(), cupy.cuda.Event()
            start.record()
            run()
            stop.record()
            stop.synchronize()
            times.append(1e3 * cupy.cuda.get_elapsed_time(start, stop) / calls)
        return times, "launched one by one"

    def coo():
        values, rows, columns = (array.copy() for array in arrays)
        return sparse.coo_matrix((values, (rows, columns)), shape=shape)

    for method, make, size in (("cupy_coo", coo, 12), ("cupy_csr", lambda: coo().tocsr(), 8)):
        measure(table, torch, method, matrix, batch, x, make, lambda w: w @ operand, size * len(matrix.values),
                lambda y: torch.as_tensor(cupy.asnumpy(y), device="cuda"), timer)


def jax_rows(table, torch, matrix, batch, x):
    import jax
    import numpy
    from jax.experimental import sparse
    jax.config.update("jax_default_matmul_precision", "highest")
    indices = numpy.stack([matrix.rows, matrix.columns], axis=1)
    operand = jax.device_put(x.cpu().numpy())
    product = jax.jit(lambda w, b: w @ b)

    def make():
        return sparse.BCOO((jax.device_put(matrix.values), jax.device_put(indices)),
                           shape=(matrix.out_features, matrix.in_features), indices_sorted=True, unique_indices=True)

    def timer(run, calls):
        jax.block_until_ready(run())
        times = []
        for _ in range(SAMPLES):
            start = time.perf_counter()
            jax.block_until_ready(run())
            times.append(1e6 * (time.perf_counter() - start) / calls)
        return times, "launched one by one, by the host's clock"

    measure(table, torch, "jax_bcoo", matrix, batch, x, make, lambda w: product(w, operand), 12 * len(matrix.values),
            lambda y: torch.as_tensor(numpy.asarray(y), device="cuda"), timer)


def main(arguments):
    if len(arguments) != 2:
        raise SystemExit(__doc__)
    folder = Path(arguments[1])
    folder.mkdir(parents=True, exist_ok=True)
    table = Table(folder / "frameworks.csv")
    try:
        import torch
        if not torch.cuda.is_available():
            raise RuntimeError("PyTorch sees no GPU")
    except Exception as error:  # the checks need it too
        table.row("torch_sparse_coo", note=f"skipped: {error}; the other frameworks are checked with it")
        return 0
    import importlib
    others = []
    modules = [torch]
    for name, rows in (("cupy", cupy_rows), ("jax", jax_rows)):
        try:
            modules.append(importlib.import_module(name))
            others.append(rows)
        except Exception as error:
            table.row(f"{name}", note=f"skipped: {error}")
    tell_versions(folder / "machine.txt", modules)
    for path in sorted(Path(arguments[0]).glob("*.rows.npy"), key=lambda path: int(path.name.split("x")[0])):
        matrix = Matrix(path)
        for batch in BATCHES:
            generator = torch.Generator(device="cuda").manual_seed(2026)
            x = torch.rand(matrix.in_features, batch, device="cuda", generator=generator) * 2 - 1
            for rows in (torch_rows, *others):
                rows(table, torch, matrix, batch, x)
                torch.cuda.empty_cache()
    return 1 if table.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

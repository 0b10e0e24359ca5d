#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy reads what the library lends by DLPack where it lies, and the library what NumPy lends.

    interop_dlpack.py COMPILER INCLUDE_FOLDER

Status 77, which ctest shows as skipped, if numpy is not installed.
"""

import ctypes
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}; pip install numpy")
    sys.exit(77)

BRIDGE = r"""
#include <vector>
#include <snack/io/dlpack_export.hpp>
#include <snack/io/dlpack_import.hpp>
using namespace snack;
namespace dlpack = snack::io::dlpack;

extern "C" {
int alive = 0;  // arrays that tensors belong to
}

template <class M>
M* lend(Size batch, Size features, bool by_row) {
    ++alive;
    std::shared_ptr<std::vector<float>> memory(new std::vector<float>(64), [](auto* held) { delete held; --alive; });
    const MatrixView<float> view(memory->data(), batch, features, by_row ? Layout::row_major : Layout::column_major, 7);
    for (Size i = 0; i < batch * features; ++i) { view(i / features, i % features) = static_cast<float>(i); }
    return dlpack::export_matrix<M>(view, memory).release();
}
extern "C" void* lend_old(Size batch, Size features, int by_row) {
    return lend<dlpack::ManagedTensor>(batch, features, by_row != 0);
}
extern "C" void* lend_versioned(Size batch, Size features, int by_row) {
    return lend<dlpack::VersionedTensor>(batch, features, by_row != 0);
}

template <class M, class T>
int take(void* from, T* to, int* by_row) {
    dlpack::ImportedTensor tensor(static_cast<M*>(from));
    try {
        const MatrixView<const T> view = tensor.matrix<const T>();
        for (Size i = 0; i < view.batch() * view.features(); ++i) { to[i] = view(i / view.features(), i % view.features()); }
        *by_row = view.layout() == Layout::row_major;
        return 0;
    } catch (const Error&) {
        return 1;
    }
}
extern "C" int take_old(void* tensor, double* to, int* by_row) {
    return take<dlpack::ManagedTensor>(tensor, to, by_row);
}
extern "C" int take_versioned(void* tensor, double* to, int* by_row) {
    return take<dlpack::VersionedTensor>(tensor, to, by_row);
}
"""

api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetName.restype = ctypes.c_char_p
api.PyCapsule_GetName.argtypes = [ctypes.py_object]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
NAMES = {True: (b"dltensor_versioned", b"used_dltensor_versioned"), False: (b"dltensor", b"used_dltensor")}


class Lent:
    """What np.from_dlpack asks for a tensor of the library's."""

    def __init__(self, bridge, by_row):
        self.bridge, self.by_row = bridge, by_row

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, *, max_version=None, **_):
        versioned = max_version is not None and max_version[0] >= 1
        make = self.bridge.lend_versioned if versioned else self.bridge.lend_old
        return api.PyCapsule_New(make(3, 5, self.by_row), NAMES[versioned][0], None)


def taken(bridge, array, versioned):
    """The array as the library sees it, and whether row by row; None if it refuses."""
    capsule = array.__dlpack__(max_version=(1, 0)) if versioned else array.__dlpack__()
    versioned = api.PyCapsule_GetName(capsule) == NAMES[True][0]
    pointer = api.PyCapsule_GetPointer(capsule, NAMES[versioned][0])
    api.PyCapsule_SetName(capsule, NAMES[versioned][1])
    result, by_row = np.full(array.shape, np.nan), ctypes.c_int()
    take = bridge.take_versioned if versioned else bridge.take_old
    to = result.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    return None if take(ctypes.c_void_p(pointer), to, ctypes.byref(by_row)) else (result, bool(by_row.value))


def main():
    with tempfile.TemporaryDirectory() as folder:
        source, library = pathlib.Path(folder, "bridge.cpp"), pathlib.Path(folder, "bridge.so")
        source.write_text(BRIDGE)
        subprocess.run([sys.argv[1], "-std=c++20", "-I", sys.argv[2], "-shared", "-fPIC", source, "-o", library], check=True)
        bridge = ctypes.CDLL(str(library))
    for name in ("lend_old", "lend_versioned"):
        getattr(bridge, name).restype = ctypes.c_void_p
        getattr(bridge, name).argtypes = [ctypes.c_int64, ctypes.c_int64, ctypes.c_int]
    alive = ctypes.c_int.in_dll(bridge, "alive")

    for by_row in (1, 0):
        array = np.from_dlpack(Lent(bridge, by_row))
        assert alive.value == 1 and array.shape == (3, 5) and array.dtype == np.float32
        assert array.strides == ((28, 4) if by_row else (4, 28))
        assert (array == np.arange(15).reshape(3, 5)).all()
        del array
        assert alive.value == 0

    has_versions = tuple(int(part) for part in np.__version__.split(".")[:2]) >= (2, 1)
    numbers = np.arange(40.0).reshape(5, 8)
    for versioned in {False, has_versions}:
        for array, by_row in ((numbers, True), (numbers.T, False), (numbers[1:4, 2:6], True), (numbers[:, 3:5].T, False)):
            seen, layout = taken(bridge, array, versioned)
            assert (seen == array).all() and layout == by_row
        for array in (numbers[:, ::2], numbers[::-1], numbers.astype(np.float32), numbers[0]):
            assert taken(bridge, array, versioned) is None
    held = sys.getrefcount(numbers)
    for _ in range(10):
        taken(bridge, numbers, has_versions)
    assert sys.getrefcount(numbers) == held
    print("numpy", np.__version__, "and the library share tensors both ways")


main()

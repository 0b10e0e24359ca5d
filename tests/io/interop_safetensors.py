# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the library writes as safetensors, the ordinary Python packages read, and the other way round.

    interop_safetensors.py PATH/TO/snack_tests

Status 77, which ctest shows as skipped, if safetensors or numpy is not installed.
"""

import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import safetensors
    from safetensors.numpy import load_file, save_file
except ImportError as error:
    print(f"skipped: {error}; pip install numpy safetensors")
    sys.exit(77)


def run_test(name, folder):
    """Runs a hidden test of the test program."""
    subprocess.run([sys.argv[1], f"interop: {name}"], check=True, env={**os.environ, "SNACK_INTEROP": folder})


def raw_tensors(path):
    """Name to (type, shape, bytes), by the format's own reader."""
    with open(path, "rb") as file:
        return {name: (t["dtype"], t["shape"], bytes(t["data"])) for name, t in safetensors.deserialize(file.read())}


def serialize(tensors, metadata):
    """The bytes of a file with name to (numpy's word for the type, shape, bytes), by the format's own writer."""
    kept = {name: np.frombuffer(data, np.uint8) for name, (_, _, data) in tensors.items()}
    if hasattr(safetensors, "TensorSpec"):  # from version 0.8 on
        described = {name: safetensors.TensorSpec(dtype=dtype, shape=shape, data_ptr=kept[name].ctypes.data,
                                                  data_len=kept[name].nbytes)
                     for name, (dtype, shape, _) in tensors.items()}
    else:
        described = {name: {"dtype": dtype, "shape": shape, "data": data}
                     for name, (dtype, shape, data) in tensors.items()}
    return safetensors.serialize(described, metadata)


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def check_ours(path):
    tensors = raw_tensors(path)
    for name, bits in [("F16", [0x3C00, 0xC000, 1, 0x7BFF]), ("BF16", [0x3F80, 0xC000, 1, 0x7F7F])]:
        check(tensors[name] == (name, [4], np.array(bits, "<u2").tobytes()), name)
    for width in (8, 16, 32, 64):
        for kind, name in (("int", f"I{width}"), ("uint", f"U{width}")):
            info = np.iinfo(f"{kind}{width}")
            wanted = np.array([[info.min, 0], [1, info.max]], info.dtype)
            check(tensors[name] == (name, [2, 2], wanted.tobytes()), name)
    floats = np.array([0x3FC00000, 0x80000000, 1, 0x7FC12345, 0xFF800000], "<u4")
    check(tensors["F32"] == ("F32", [5], floats.tobytes()), "F32")
    check(tensors["F64"][:2] == ("F64", [2, 2, 1]), "shape of F64")
    doubles = np.frombuffer(tensors["F64"][2], "<u8")
    check(doubles[0] == np.array(0.1).view("<u8") and list(doubles[1:]) == [1 << 63, 1, 0x7FF8000012345678], "F64")
    check(tensors["BOOL"] == ("BOOL", [2], b"\0\1"), "BOOL")
    check(tensors['one "é"\n'] == ("F32", [], np.float32(2.5).tobytes()), "a single number")
    check(tensors["none"] == ("F32", [0, 3], b""), "no elements")
    with safetensors.safe_open(path, framework="np") as file:
        check(file.metadata() == {"written by": 'snack € "\\\n'}, "metadata")

    # The same tensors from the format's own writer are the same bytes.
    words = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "BOOL": "bool"}
    for width in (8, 16, 32, 64):
        words |= {f"I{width}": f"int{width}", f"U{width}": f"uint{width}"}
    again = serialize({name: (words[dtype], shape, data) for name, (dtype, shape, data) in tensors.items()},
                      {"written by": 'snack € "\\\n'})
    with open(path, "rb") as file:
        check(file.read() == again, "the bytes of the format's own writer")


def response(rows, columns, values, bias):
    """To 1, 2, 3, ...; whole numbers, so exact in any order."""
    y = bias.astype(np.float64)
    np.add.at(y, rows, values.astype(np.float64) * (columns + 1))
    return y.astype(np.float32)


def check_our_layer(path):
    tensors = load_file(path)
    out_features, in_features = tensors["fc.weight.shape"]
    offsets = tensors["fc.weight.row_offsets"]
    columns = tensors["fc.weight.columns"]
    check((out_features, in_features, len(offsets), offsets[-1]) == (7, 9, 8, 20), "shape and row offsets")
    check(columns.min() >= 0 and columns.max() < in_features, "columns")
    rows = np.repeat(np.arange(out_features), np.diff(offsets))
    y = response(rows, columns, tensors["fc.weight.values"], tensors["fc.bias"])
    check(np.array_equal(y, tensors["response"]), "what the layer computes")
    check(list(tensors["fc.random_key"]) == [2**64 - 1, 3, 0], "random key")


def write_theirs(path):
    tensors = {"number": np.array(1.5, np.float32), "none": np.zeros((3, 0), np.float32),
               "bits": np.array([0x7FC12345, 0x80000000, 1], "<u4").view("<f4")}
    for name, dtype in [("F64", "f8"), ("F32", "f4"), ("F16", "f2")]:
        tensors[name] = np.array([[1], [-1.5]], dtype)
    for name in ["I64", "I32", "I16", "I8", "U64", "U32", "U16", "U8"]:
        tensors[name] = np.array([[1], [100]], name.lower()[0] + str(int(name[1:]) // 8))
    tensors["BOOL"] = np.array([[True], [False]])
    flat = {name: (array.dtype.name, array.shape, array.tobytes()) for name, array in tensors.items()}
    flat["BF16"] = ("bfloat16", (2, 1), np.array([0x3F80, 0xBFC0], "<u2").tobytes())
    with open(path, "wb") as file:
        file.write(serialize(flat, {"written by": 'numpy € "\\\n'}))


def write_their_layer(path):
    rng = np.random.default_rng(1)
    cells = rng.choice(30 * 50, 200, replace=False)
    rows, columns = cells // 50, cells % 50
    values = rng.integers(-8, 9, 200).astype(np.float16)
    bias = np.arange(30, dtype=np.float64)
    save_file({"fc.weight.rows": rows.astype(np.uint8), "fc.weight.columns": columns.astype(np.int64),
               "fc.weight.values": values, "fc.weight.shape": np.array([30, 50], np.int32), "fc.bias": bias,
               "response": response(rows, columns, values, bias)}, path)


with tempfile.TemporaryDirectory() as folder:
    for test in ("safetensors are written for other programs", "a layer is written for other programs"):
        run_test(test, folder)
    check_ours(os.path.join(folder, "ours.safetensors"))
    check_our_layer(os.path.join(folder, "our_layer.safetensors"))
    write_theirs(os.path.join(folder, "theirs.safetensors"))
    write_their_layer(os.path.join(folder, "their_layer.safetensors"))
    for test in ("safetensors of other programs are read", "a layer of another program is read"):
        run_test(test, folder)
print(f"safetensors {safetensors.__version__}, numpy {np.__version__}: all checks passed")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiler says of the library's kernels, without a GPU: a table of registers, and an error for

  - a stack frame or a spill, which puts into memory what should be in a register
  - a load of a single byte from global memory: no kernel has bytes to read, so a vector has been taken apart
  - a kernel named Pack... that touches global memory other than by vectors

    python3 tests/cuda/resources/check.py nvcc tests/cuda/resources/every_kernel.cu
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
ARCHITECTURES = ("80", "90")
OURS = re.compile(r"_ZN5snack\w*run_on_device")
REPORT = re.compile(r"entry function '(?P<name>\w+)' for 'sm_(?P<architecture>\d+)'\n.*\n"
                    r"\s*(?P<stack>\d+) bytes stack frame, (?P<stores>\d+) bytes spill stores, "
                    r"(?P<loads>\d+) bytes spill loads\n.*?Used (?P<registers>\d+) registers")
ENTRY = re.compile(r"\.entry (\w+)\(")
ACCESS = re.compile(r"\b(?:ld|st)\.global[\w.:]*")
BYTE = re.compile(r"\.[usb]8$")


def readable(names):
    """Names of kernels as the source has them, without the launcher's."""
    result = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    short = re.compile(r"void snack::\w+::simt::run_on_device<(.*?) ?>\(")
    lines = (short.sub(r"\1\0", line).split("\0")[0] for line in result.stdout.splitlines())
    return {name: re.sub(r"snack::v\d+::", "", line) for name, line in zip(names, lines)}


def compile_source(nvcc, source, folder):
    """The compiler's report and the PTX of each architecture."""
    command = [nvcc, "-std=c++20", "-O1", "-Xptxas", "-v", "--keep", "--keep-dir", folder, "-I", ROOT,
               "-I", ROOT / "include", "-c", source, "-o", folder / "object.o"]
    for number in ARCHITECTURES:
        command += ["-gencode", f"arch=compute_{number},code=sm_{number}"]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode != 0:
        sys.exit(process.stdout + process.stderr)
    ptx = {number: (folder / f"{source.stem}.compute_{number}.ptx").read_text() for number in ARCHITECTURES}
    return process.stdout + process.stderr, ptx


def faults_of_report(kernel):
    for key, what in (("stack", "stack frame"), ("stores", "spill stores"), ("loads", "spill loads")):
        if int(kernel[key]) > 0:
            yield f"{kernel[key]} bytes of {what}"


def faults_of_ptx(name, body):
    accesses = sorted(set(ACCESS.findall(body)))
    for access in accesses:
        if access.startswith("ld") and BYTE.search(access):
            yield f"reads single bytes: {access}"
        elif "::Pack" in name and not re.search(r"\.v[24]\.", access):
            yield f"touches memory other than by vectors: {access}"


def main():
    parser = argparse.ArgumentParser(description="Checks what the compiler makes of the library's kernels.")
    parser.add_argument("nvcc")
    parser.add_argument("source", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report, ptx = compile_source(options.nvcc, options.source, pathlib.Path(folder))

    kernels = [match.groupdict() for match in REPORT.finditer(report) if OURS.match(match["name"])]
    names = readable(sorted({kernel["name"] for kernel in kernels}))
    registers = {}
    faults = []
    for kernel in kernels:
        name = names[kernel["name"]]
        registers.setdefault(name, {})[kernel["architecture"]] = kernel["registers"]
        faults += [f"{name}, sm_{kernel['architecture']}: {fault}" for fault in faults_of_report(kernel)]
    for number, text in ptx.items():
        parts = ENTRY.split(text)
        bodies = {name: body.split("\n}\n")[0] for name, body in zip(parts[1::2], parts[2::2]) if name in names}
        if bodies.keys() != names.keys():
            sys.exit("the kernels of the report and of the PTX differ")
        for name, body in bodies.items():
            faults += [f"{names[name]}, compute_{number}: {fault}" for fault in faults_of_ptx(names[name], body)]

    print("registers  " + "  ".join(f"sm_{number}" for number in ARCHITECTURES))
    for name, row in sorted(registers.items()):
        print("           " + "  ".join(f"{row[number]:>5}" for number in ARCHITECTURES) + "  " + name)
    print(f"{len(registers)} kernels, {len(faults)} faults")
    for fault in sorted(faults):
        print("FAULT: " + fault)
    sys.exit(1 if faults or not kernels else 0)


if __name__ == "__main__":
    main()

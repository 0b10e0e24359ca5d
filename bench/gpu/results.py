# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows that snack_bench_gpu and frameworks.py measured, and which of them stand for a kind of method."""

import csv
from pathlib import Path

# Kinds of methods in the order of the columns, each with what the names of its methods begin with. The
# first of `snack` that was measured stands for the library.
SNACK = ["Cuda", "CooSegmented"]
KINDS = {
    "paper's kernel, sorted": ("CooAtomic",),
    "paper's kernel, shuffled": ("CooAtomic_shuffled",),
    "cuSPARSE": ("CuSparse/",),
    "torch": ("torch_sparse",),
    "torch dense": ("torch_dense",),
    "torch dense + mask": ("torch_masked",),
    "CuPy": ("cupy",),
    "JAX": ("jax",),
    "dense products, sparse parameters": (),  # those of a training step: see belongs()
    "dense": ("Dense", "dense_sgem"),
    "dense TF32": ("DenseTf32", "dense_tf32"),
    "dense + mask": ("DenseMask", "masked_sgem"),
    "dense + mask TF32": ("DenseMaskTf32", "masked_tf32"),
}
EXACT = {"CooAtomic", "Dense", "DenseMask"}  # beginnings that other names have too


class Results:
    """All rows of the csv files of a folder. Rows that were not timed, or were wrong, count as absent. A file that was
    cut in the middle of a row ends the program with its name."""

    def __init__(self, folder):
        self.rows = []
        for path in sorted(Path(folder).glob("*.csv")):
            with open(path, newline="") as file:
                reader = csv.DictReader(file)
                for row in reader:
                    if None in row.values():
                        raise SystemExit(f"{path}: line {reader.line_num} is cut short; measure again or remove it")
                    row["file"] = path.stem
                    for name in ("out_features", "in_features", "batch", "memory_bytes", "peak_bytes", "copies"):
                        row[name] = int(row[name] or 0)
                    for name in ("sparsity", "median_us", "min_us", "prepare_us", "watts", "joules_per_call"):
                        row[name] = float(row[name] or 0)
                    if not row["note"].startswith("wrong"):
                        self.rows.append(row)

    def pick(self, **wanted):
        return [row for row in self.rows if all(row[name] == value for name, value in wanted.items())]

    def timed(self, **wanted):
        return [row for row in self.pick(**wanted) if row["median_us"] > 0]

    def rows_of(self, kind, **wanted):
        """All timed rows of a kind; "snack" is the library's backend."""
        rows = self.timed(**wanted)
        if kind != "snack":
            return [row for row in rows if belongs(row, kind)]
        methods = [name for name in SNACK if any(row["method"] == name for row in rows)]
        return [row for row in rows if row["method"] in methods[:1]]

    def snack(self, **wanted):
        """The faster layout of the library's backend, or None."""
        return self.kind("snack", **wanted)

    def kind(self, name, **wanted):
        """The fastest method and layout of a kind, or None."""
        return fastest(self.rows_of(name, **wanted))

    def with_power(self, kind, **wanted):
        """The rows of one method and layout of a kind in training.csv and power.csv: of those that are in both, with a
        cold cache if any are, the fastest. Without a row of power, the fastest and None."""
        timed = self.rows_of(kind, file="training", **wanted)
        for cache in ("cold", "warm"):
            both = [(row, power) for row in timed
                    for power in self.timed(file="power", method=row["method"], cache=cache, **wanted)
                    if row["batch"] == 1 or row["layout"] == power["layout"]]
            if both:
                return min(both, key=lambda pair: pair[0]["median_us"])
        return fastest(timed), None

    def read_rate(self):
        """Bytes a microsecond of a kernel that only reads, or None."""
        rows = self.timed(operation="reference", method="read")
        return rows[-1]["memory_bytes"] / rows[-1]["median_us"] if rows else None

    def best_peer(self, **wanted):
        return fastest([row for name in KINDS for row in [self.kind(name, **wanted)] if row])


def fastest(rows):
    return min(rows, key=lambda row: row["median_us"], default=None)


def belongs(row, kind):
    """Whether a row is of a kind. The library's own dense backends train the non-zeros alone, which is no baseline for a
    step: they have a kind of their own there."""
    method = row["method"]
    if row["operation"] == "training_step" and method.startswith("Dense"):
        return kind == "dense products, sparse parameters"
    return any(method == begin if begin in EXACT else method.startswith(begin) for begin in KINDS[kind])


def entries(row):
    """Non-zeros of the matrix of a row."""
    return round((1 - row["sparsity"]) * row["out_features"] * row["in_features"])


def floor_us(row, read_rate):
    """Bytes that a kernel must move if nothing lies in a cache, a 16-bit column for each pass and 4 for each value or
    gradient, at the rate of a kernel that only reads."""
    bytes_per_entry = {"forward": 6, "input_gradient": 6, "weight_gradient": 6, "backward": 10, "training_step": 36}
    return bytes_per_entry[row["operation"]] * entries(row) / read_rate

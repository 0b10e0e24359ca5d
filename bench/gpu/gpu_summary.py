#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the results of snack_bench_gpu into tables and plots.

    gpu_summary.py RESULTS_FOLDER [PAGE]

Reads all csv files of RESULTS_FOLDER, writes plots beside them, and puts all tables between the two markers of PAGE,
or prints them if none is named. Of every method the fastest call and layout counts, and is named. Needs the standard
library; the plots need matplotlib and are left out without it.
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True  # no __pycache__ beside the scripts
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import paper  # noqa: E402
import plots  # noqa: E402
from results import KINDS, Results, entries, floor_us  # noqa: E402
from summary import markdown, write_between_markers  # noqa: E402

BEGIN = "<!-- tables: begin; written by bench/gpu/gpu_summary.py -->"

# What is left out of a method's name: the kind is the column's.
PREFIXES = ("dense_", "masked_", "CuSparse/", "torch_", "cupy_", "jax_")


def us(row, named=True):
    """Microseconds in three digits, the call, and the layout: r for batch x features, c for features x batch."""
    if row is None:
        return "-"
    text = f"{row['median_us']:.0f}" if row["median_us"] >= 100 else f"{row['median_us']:.3g}"
    call = row["method"]
    for prefix in PREFIXES:
        if call.startswith(prefix) and named:
            text += " " + call[len(prefix):]
    return text if row["batch"] <= 1 else text + " " + row["layout"][0]


def times(row, other):
    """How many times as fast `row` is as `other`."""
    return "-" if row is None or other is None else f"{other['median_us'] / row['median_us']:.2f}"


def megabytes(value):
    return "-" if not value else f"{value / 1e6:.0f}" if value >= 1e8 else f"{value / 1e6:.3g}"


def shape_of(row):
    return f"{row['out_features']} x {row['in_features']}"


def compare(results, columns, keep, **wanted):
    """A line for each shape, sparsity and batch: the library's time, its share of the floor, every kind of `columns`
    that has rows, and how many times as fast the library is. There is no floor where the cache is warm, or where the
    rate of reading was not measured."""
    keys = sorted({(row["out_features"], row["in_features"], row["sparsity"], row["batch"])
                   for row in results.timed(**wanted) if keep(row)})
    at = [dict(wanted, out_features=out, in_features=inside, sparsity=sparsity, batch=batch)
          for out, inside, sparsity, batch in keys]
    shown = [name for name in columns if any(results.kind(name, **key) for key in at)]
    rate = results.read_rate() if wanted["cache"] == "cold" else None
    rows = []
    for key in at:
        snack = results.snack(**key)
        if snack is None:
            continue
        peer = results.best_peer(**key)
        named = "-" if peer is None else f"{times(snack, peer)} ({peer['method']})"
        floor = floor_us(snack, rate) if rate else 0
        rows.append([shape_of(snack), f"{snack['sparsity']:.2f}", str(snack["batch"]), us(snack),
                     *([f"{floor:.3g}", f"{100 * floor / snack['median_us']:.0f} %"] if rate else []),
                     *(us(results.kind(name, **key)) for name in shown), named,
                     times(snack, results.kind("dense", **key)), times(snack, results.kind("dense + mask", **key))])
    header = ["shape", "sparsity", "batch", "snack", *(["floor", "share of floor"] if rate else []), *shown, "best peer / snack",
              "dense / snack", "dense + mask / snack"]
    return markdown(header, rows) if rows else []


FRAMEWORKS = ["torch", "torch dense", "torch dense + mask", "CuPy", "JAX"]
PRODUCTS = [name for name in KINDS if name not in FRAMEWORKS and name != "dense products, sparse parameters"]


def is_large_square(row):
    return (row["out_features"], row["in_features"], row["sparsity"]) == (10000, 10000, 0.95)


def is_other_library(row):
    return (row["out_features"], row["in_features"], row["sparsity"]) in (
        (10240, 10240, 0.95), (4096, 14336, 0.95), (10000, 10000, 0.95))


def forward_by_batch(results, cache):
    return compare(results, PRODUCTS, is_large_square, operation="forward", cache=cache)


def forward_by_shape(results):
    return compare(results, PRODUCTS, lambda row: not is_large_square(row), operation="forward", cache="cold")


def frameworks(results, cache):
    """Rows of the paper's tables that come from frameworks, where those were measured."""
    return compare(results, FRAMEWORKS, lambda row: row["method"].startswith(("torch", "cupy", "jax")),
                   operation="forward", cache=cache)


def gradients(results, operation):
    return compare(results, PRODUCTS, lambda row: True, operation=operation, cache="cold")


def training(results):
    """Time and memory of a step: forward, both gradients, SGD with momentum. The memory is that of the method whose time
    is shown."""
    wanted = dict(operation="training_step", file="training", cache="cold")
    keys = sorted({(row["out_features"], row["in_features"], row["sparsity"], row["batch"])
                   for row in results.timed(**wanted)})
    rows = []
    for out, inside, sparsity, batch in keys:
        at = dict(wanted, out_features=out, in_features=inside, sparsity=sparsity, batch=batch)
        snack, dense, masked = results.snack(**at), results.kind("dense", **at), results.kind("dense + mask", **at)
        if snack is None:
            continue
        held = dense["memory_bytes"] if dense else 0
        less = f"{100 - 100 * snack['memory_bytes'] / held:.0f} %" if held else "-"
        rows.append([shape_of(snack), f"{sparsity:.2f}", str(batch), us(snack), us(dense),
                     us(results.kind("dense TF32", **at)), us(masked), us(results.kind("dense + mask TF32", **at)),
                     us(results.kind("dense products, sparse parameters", **at)), us(results.kind("cuSPARSE", **at)),
                     us(results.kind("paper's kernel, sorted", **at)), times(snack, dense), times(snack, masked),
                     megabytes(snack["memory_bytes"]), f"{snack['memory_bytes'] / entries(snack):.1f}",
                     megabytes(held), megabytes(masked["memory_bytes"]) if masked else "-", less])
    header = ["shape", "sparsity", "batch", "snack", "dense", "dense TF32", "dense + mask", "dense + mask TF32",
              "dense products, sparse parameters", "cuSPARSE", "paper's kernels", "dense / snack", "dense + mask / snack", "MB of snack", "bytes per non-zero",
              "MB of dense", "MB of dense + mask", "less than dense"]
    return markdown(header, rows) if rows else []


def preparation(results):
    """What the plan of a sparse method costs once per topology, in forward passes of batch 1."""
    rows = {}
    for row in results.timed(operation="forward", cache="cold", batch=1, out_features=10000, in_features=10000):
        if row["prepare_us"] > 0 and not row["method"].startswith("Dense"):
            rows[(row["method"], row["sparsity"])] = [
                row["method"], f"{row['sparsity']:.2f}", f"{row['prepare_us']:.0f}",
                f"{row['prepare_us'] / row['median_us']:.0f}"]
    lines = [rows[key] for key in sorted(rows)]
    return markdown(["method", "sparsity", "us", "forward passes"], lines) if rows else []


def updates(results):
    """Making and rewiring a layer."""
    rows = [[row["operation"], row["method"], shape_of(row), f"{row['sparsity']:.2f}", f"{row['median_us']:.0f}",
             megabytes(row["memory_bytes"]), megabytes(row["peak_bytes"])] for row in results.timed(file="updates")]
    header = ["what", "method", "shape", "sparsity", "us", "MB of the layer", "MB at its peak, on top"]
    return markdown(header, rows) if rows else []


def paper_products(results):
    """The paper's tables 2, 11 and 12 beside the same shapes here: how many times as fast as dense and dense + mask."""
    rows = []
    for (card, batch), methods in paper.PRODUCTS.items():
        for size, theirs in methods["SNACK-COO"].items():
            at = dict(operation="forward", cache="cold", out_features=size, in_features=size, sparsity=0.95, batch=batch)
            snack, dense, masked = results.snack(**at), results.kind("dense", **at), results.kind("dense + mask", **at)
            atomic = results.kind("paper's kernel, sorted", **at)
            shuffled = results.kind("paper's kernel, shuffled", **at)
            if snack is None:
                continue
            rows.append([str(size), str(batch), us(snack), us(atomic), us(shuffled), us(dense), us(masked),
                         times(snack, dense), times(snack, masked), card, f"{theirs:.3g}",
                         f"{methods['dense'][size]:.3g}", f"{methods['dense + mask'][size]:.3g}",
                         f"{methods['dense'][size] / theirs:.2f}", f"{methods['dense + mask'][size] / theirs:.2f}"])
    header = ["size", "batch", "snack, us", "paper's kernel, sorted, us", "shuffled, us", "dense, us",
              "dense + mask, us", "dense / snack", "dense + mask / snack", "paper: card", "SNACK-COO, ms", "dense, ms",
              "dense + mask, ms", "dense / SNACK-COO", "dense + mask / SNACK-COO"]
    return markdown(header, rows) if rows else []


def layer_line(kind, sparsity, parameters, row, power):
    """Memory is that of the row of training.csv; time, power and energy are of one run, that of power.csv if there is
    one."""
    energy = power["joules_per_call"] * 100 / 3.6 if power else 0  # mWh for 100 iterations
    shown = power or row
    return [kind, sparsity, f"{parameters / 1e3:.0f}", megabytes(row["memory_bytes"]), us(shown), shown["cache"],
            f"{power['watts']:.0f}" if power else "-", f"{energy:.3g}" if power else "-",
            f"{energy * paper.CO2_PER_KWH:.3g}" if power else "-"]


def paper_layer(results, out, inside, batch):
    """The paper's tables 3 and 10: one layer in training, here and as published."""
    rows = []
    base = dict(operation="training_step", out_features=out, in_features=inside, batch=batch)
    for sparsity, methods in paper.LAYERS[(out, inside, batch)].items():
        for name in methods:
            kind = "snack" if name == "SNACK" else name
            row, power = results.with_power(kind, **base, sparsity=sparsity or 0.90)
            if row:
                count = entries(row) * 3 if kind == "snack" else out * inside * (2 if "mask" in kind else 1)
                rows.append(layer_line(kind, "-" if sparsity is None else f"{sparsity:.2f}", count, row, power))
            parameters, held, time, *energy = (f"{value:g}" for value in methods[name])
            rows.append([f"paper: {name}", "-" if sparsity is None else f"{sparsity:.2f}", parameters, held, time, "-",
                         *energy])
    header = ["method", "sparsity", "parameters, k", "memory, MB", "us an iteration", "cache", "W", "mWh for 100 iterations",
              "mg of CO2"]
    return markdown(header, rows) if results.timed(file="training", **base) else []


def memory(results):
    """Figure 4: the largest input of each method under the budget, and what it holds on the way."""
    rows = results.pick(file="memory")
    if not rows:
        return []
    sizes = sorted({row["in_features"] for row in rows})
    series = {}
    for row in rows:
        series.setdefault((row["method"], row["sparsity"]), {})[row["in_features"]] = row
    lines = []
    for (method, sparsity), points in series.items():
        held = [size for size, row in points.items() if row["memory_bytes"] > 0]
        lines.append([method, f"{sparsity:.2f}", f"{max(held, default=0)}",
                      *(megabytes(points[size]["memory_bytes"]) if size in points else "-" for size in sizes[:12])])
    return markdown(["method", "sparsity", "largest input", *(f"MB at {size}" for size in sizes[:12])], lines)


def references(results):
    rows = []
    for row in results.timed(operation="reference"):
        if row["method"] == "read":
            rate = row["memory_bytes"] / row["median_us"] / 1e6
            rows.append(f"A kernel that only reads: {rate:.2f} TB/s.")
        else:
            rows.append(f"An empty kernel: {row['median_us']:.2f} us.")
    return rows


def document(results, machine):
    """All tables as markdown, with headings."""
    sections = [
        ("Forward by batch, cold cache", forward_by_batch(results, "cold")),
        ("Forward by batch, warm cache", forward_by_batch(results, "warm")),
        ("Forward, other shapes and sparsities, cold cache", forward_by_shape(results)),
        ("Forward beside GE-SpMM's and RoDe's shapes, warm cache",
         compare(results, PRODUCTS, is_other_library, operation="forward", cache="warm")),
        ("Forward, frameworks, cold cache", frameworks(results, "cold")),
        ("Forward, frameworks, warm cache", frameworks(results, "warm")),
        ("Weight gradient", gradients(results, "weight_gradient")),
        ("Input gradient", gradients(results, "input_gradient")),
        ("Both gradients", gradients(results, "backward")),
        ("Training step", training(results)),
        ("Plans of 10000 x 10000", preparation(results)),
        ("Making and rewiring a layer, 30 % of its connections", updates(results)),
        ("The paper's tables 2, 11 and 12", paper_products(results)),
        ("The paper's table 3: 10000 x 10000, batch 4", paper_layer(results, 10000, 10000, 4)),
        ("The paper's table 10: 12500 inputs, 10000 outputs, batch 1", paper_layer(results, 10000, 12500, 1)),
        ("The paper's figure 4: memory against inputs, 10000 outputs", memory(results)),
    ]
    lines = ["```", *machine, "```", "", *references(results), ""]
    for title, table in sections:
        if table:
            lines += [f"### {title}", "", *table, ""]
    return lines


def main(arguments):
    if not 1 <= len(arguments) <= 2:
        raise SystemExit(__doc__)
    folder = Path(arguments[0])
    results = Results(folder)
    if not results.rows:
        raise SystemExit(f"{folder}: no csv file with rows of results; nothing was written")
    machine_file = folder / "machine.txt"
    machine = machine_file.read_text().splitlines() if machine_file.exists() else []
    plots.write_all(results, folder)
    lines = document(results, machine)
    if len(arguments) == 2:
        write_between_markers(Path(arguments[1]), lines, BEGIN)
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main(sys.argv[1:])

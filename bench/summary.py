#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the results of snack_bench into tables and a plot.

    summary.py RESULTS_FOLDER [README]

Reads RESULTS_FOLDER/results.csv, writes speedup_over_dense.svg beside it, puts all tables between
the two markers of README if one is named, and prints a short table. Of every backend the faster
layout counts. Needs the standard library; the plot needs matplotlib and is left out without it.
"""

import csv
import math
import sys
from pathlib import Path

BEGIN = "<!-- tables: begin; written by bench/summary.py -->"
END = "<!-- tables: end -->"

# The columns of a comparison: what is shown, and the rows of which backends it is the best of.
COLUMNS = {
    "Host": ["Host"],
    "dense": ["OpenBLAS", "Dense"],
    "dense + mask": ["DenseMask"],
    "Eigen": ["EigenRow", "EigenCol"],
    "librsb": ["librsb"],
}
PEERS = ["dense", "dense + mask", "Eigen", "librsb"]

# What `Host` set out to reach on 4000 x 4000 with all cores: times as fast as.
GOALS = [
    (0.90, 1, {"librsb": 2.0, "Eigen": 2.4, "dense": 5.0}),
    (0.95, 1, {"librsb": 2.0, "Eigen": 2.4, "dense": 10.0}),
    (0.99, 1, {"librsb": 2.0, "Eigen": 2.0}),
    (0.95, 4, {"librsb": 1.5, "dense": 15.0}),
    (0.95, 32, {"librsb": 2.5, "dense": 12.0}),
]


class Results:
    """The rows of one results.csv."""

    def __init__(self, path):
        with open(path, newline="") as file:
            self.rows = list(csv.DictReader(file))
        for row in self.rows:
            for name in ("out_features", "in_features", "batch", "threads", "memory_bytes"):
                row[name] = int(row[name] or 0)
            for name in ("sparsity", "median_us", "min_us", "gb_per_s"):
                row[name] = float(row[name] or 0)
        self.threads = max((row["threads"] for row in self.rows), default=0)

    def pick(self, **wanted):
        return [row for row in self.rows if all(row[name] == value for name, value in wanted.items())]

    def best(self, backends, **wanted):
        """The fastest timed row of these backends, or None."""
        rows = [row for row in self.pick(**wanted) if row["backend"] in backends and row["median_us"] > 0]
        return min(rows, key=lambda row: row["median_us"], default=None)

    def values(self, name, **wanted):
        return sorted({row[name] for row in self.pick(**wanted)})


def duration(row):
    """Microseconds in three digits, and the layout: c for features x batch, r for batch x features."""
    if row is None:
        return "-"
    us = row["median_us"]
    text = f"{us:.0f}" if us >= 100 else f"{us:.3g}"
    return text if row["batch"] <= 1 else text + " " + row["layout"][0]


def ratio(row, other, of="median_us"):
    if row is None or other is None:
        return "-"
    return f"{other[of] / row[of]:.2f}"


def ratios(row, other):
    """Of medians, and of the least times, which other users of the machine have disturbed least."""
    return [ratio(row, other), ratio(row, other, "min_us")]


def megabytes(row):
    return "-" if row is None else f"{row['memory_bytes'] / 1e6:.3g}"


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def compare(results, **wanted):
    """One line for each shape, sparsity and batch: times, and how much faster `Host` is."""
    keys = sorted({(row["out_features"], row["in_features"], row["sparsity"], row["batch"])
                   for row in results.pick(**wanted)})
    columns = [name for name, backends in COLUMNS.items() if results.best(backends, **wanted)]
    header = ["shape", "sparsity", "batch", *columns, "best other / Host", "GB/s of Host"]
    rows = []
    for out_features, in_features, sparsity, batch in keys:
        at = dict(wanted, out_features=out_features, in_features=in_features, sparsity=sparsity, batch=batch)
        best = {name: results.best(backends, **at) for name, backends in COLUMNS.items()}
        others = [best[name] for name in PEERS if best[name]]
        fastest = min(others, key=lambda row: row["median_us"], default=None)
        host = best["Host"]
        speed = "-" if host is None else f"{host['gb_per_s']:.3g}"
        rows.append([f"{out_features} x {in_features}", f"{sparsity:.2f}", str(batch),
                     *(duration(best[name]) for name in columns), ratio(host, fastest), speed])
    return markdown(header, rows) if rows else []


def memory(results):
    """Bytes that a training step holds, activations apart."""
    wanted = dict(operation="training_step", out_features=4000, in_features=4000, threads=results.threads)
    rows = []
    for sparsity in results.values("sparsity", **wanted):
        for batch in results.values("batch", **wanted)[:1]:
            at = dict(wanted, sparsity=sparsity, batch=batch)
            best = {name: results.best(COLUMNS[name], **at) for name in ("Host", "dense + mask")}
            dense = results.best(["Dense"], **at)
            share = "-"
            if best["Host"] and dense:
                share = f"{100 - 100 * best['Host']['memory_bytes'] / dense['memory_bytes']:.0f} %"
            rows.append([f"{sparsity:.2f}", megabytes(best["Host"]), megabytes(dense), megabytes(best["dense + mask"]),
                         share])
    header = ["sparsity", "Host", "Dense: W, gradient, momentum", "dense + mask", "less than Dense"]
    return markdown(header, rows) if rows else []


def one_thread(results):
    """Forward of `Host` by one thread and by all, each in its faster layout."""
    wanted = dict(operation="forward", out_features=4000, in_features=4000, sparsity=0.95, cache="warm")
    rows = []
    for batch in results.values("batch", threads=1, **wanted) if results.threads > 1 else []:
        one = results.best(["Host"], batch=batch, threads=1, **wanted)
        every = results.best(["Host"], batch=batch, threads=results.threads, **wanted)
        if one and every:
            rows.append([str(batch), duration(one), duration(every), *ratios(every, one)])
    header = ["batch", "1 thread, us", f"{results.threads} threads, us", "times as fast", "by least times"]
    return markdown(header, rows) if rows else []


def backward_over_forward(results):
    """How much longer both gradients take `Host` than the forward pass of the same layer, measured in turns."""
    wanted = dict(out_features=4000, in_features=4000, cache="warm")
    rows = []
    for back in results.pick(operation="backward", backend="Host", **wanted):
        same = {name: back[name] for name in ("sparsity", "batch", "threads", "layout")}
        there = results.best(["Host"], operation="forward_beside_backward", **same, **wanted)
        if there and back["median_us"] > 0:
            rows.append([f"{back['sparsity']:.2f}", str(back["batch"]), str(back["threads"]), duration(there),
                         duration(back), *ratios(there, back)])
    header = ["sparsity", "batch", "threads", "forward, us", "backward, us", "ratio", "of least times"]
    return markdown(header, rows) if rows else []


def single(results, operations):
    """Rows of `Host` that have no peer."""
    rows = [[row["operation"], f"{row['out_features']} x {row['in_features']}", f"{row['sparsity']:.2f}",
             str(row["batch"] or "-"), str(row["threads"]), row["layout"], duration(row) if row["median_us"] else "-"]
            for row in results.rows if row["operation"] in operations]
    return markdown(["operation", "shape", "sparsity", "batch", "threads", "layout", "us"], rows) if rows else []


def step_rows(results):
    """The timed rows of a step by number of threads, parts in the order of the step."""
    rows = {}
    for row in results.rows:
        if row["operation"].startswith("step_parts/") and row["median_us"] > 0:
            rows.setdefault(row["threads"], {})[row["operation"].split("/")[1]] = row["median_us"]
    return rows


def kind(part):
    """The name of a part without the number of its layer."""
    name, _, number = part.rpartition("_")
    return name if number.isdigit() else part


def parts(results):
    """A training step part by part, with one thread and with all."""
    steps = step_rows(results)
    names = list(dict.fromkeys(name for step in steps.values() for name in step))
    rows = [[name, *(f"{step[name]:.1f}" if name in step else "-" for step in steps.values())] for name in names]
    table = markdown(["part", *(f"{t} thread{'s' if t > 1 else ''}, us" for t in steps)], rows)
    return [*table, "", *(f"- {line}" for line in step_sums(results))] if rows else []


def step_sums(results):
    """A line for each number of threads: the products of a step, and by kind all that comes on top of them."""
    lines = []
    for threads, step in step_rows(results).items():
        products = sum(us for part, us in step.items() if kind(part) in ("forward", "backward"))
        besides = {}
        for part, us in step.items():
            if kind(part) not in ("forward", "backward", "step"):
                besides[kind(part)] = besides.get(kind(part), 0) + us
        rest = sum(besides.values())
        listed = ", ".join(f"{name} {us:.0f}" for name, us in besides.items())
        lines.append(f"{threads} thread{'s' if threads > 1 else ''}: products {products:.0f} us; besides {rest:.0f} us "
                     f"({listed}); sum {products + rest:.0f} us")
    return lines


def goals(results):
    rows = []
    for sparsity, batch, wanted in GOALS:
        at = dict(operation="forward", out_features=4000, in_features=4000, sparsity=sparsity, batch=batch,
                  threads=results.threads, cache="warm")
        host = results.best(["Host"], **at)
        for name, least in wanted.items():
            peer = results.best(COLUMNS[name], **at)
            if host and peer:
                reached = peer["median_us"] / host["median_us"]
                rows.append([f"{sparsity:.2f}", str(batch), name, f"{least:g}", f"{reached:.2f}",
                             "yes" if reached >= least else "no"])
    return markdown(["sparsity", "batch", "against", "goal", "measured", "reached"], rows) if rows else []


def speedups(results):
    """For each batch the sparsities and how much faster `Host` is than dense."""
    wanted = dict(operation="forward", out_features=4000, in_features=4000, threads=results.threads, cache="warm")
    curves = {}
    for batch in results.values("batch", **wanted):
        for sparsity in results.values("sparsity", **wanted):
            host = results.best(["Host"], batch=batch, sparsity=sparsity, **wanted)
            dense = results.best(COLUMNS["dense"], batch=batch, sparsity=sparsity, **wanted)
            if host and dense:
                curves.setdefault(batch, []).append((sparsity, dense["median_us"] / host["median_us"]))
    return curves


def crossover(curve):
    """Where the speed-up passes 1: both it and the density on a logarithmic scale, straight in between."""
    for (left, slow), (right, fast) in zip(curve, curve[1:]):
        if slow < 1 <= fast:
            share = math.log(1 / slow) / math.log(fast / slow)
            return f"{1 - (1 - left) ** (1 - share) * (1 - right) ** share:.3f}"
    return f"below {curve[0][0]:.2f}" if curve[0][1] >= 1 else f"above {curve[-1][0]:.2f}"


def crossovers(curves):
    rows = [[str(batch), crossover(curve), *(f"{speedup:.2f}" for _, speedup in curve)]
            for batch, curve in curves.items()]
    sparsities = [f"at {sparsity:.2f}" for sparsity, _ in next(iter(curves.values()), [])]
    return markdown(["batch", "as fast as dense at sparsity", *sparsities], rows) if rows else []


def plot(curves, path):
    try:
        import matplotlib
    except ImportError:
        print("matplotlib not found: no plot", file=sys.stderr)
        return
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "snack"  # same data, same file
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    colours = pyplot.get_cmap("viridis")
    for i, (batch, curve) in enumerate(curves.items()):
        colour = colours(i / max(1, len(curves) - 1) * 0.9)
        densities = [1 - sparsity for sparsity, _ in curve]
        axes.plot(densities, [speedup for _, speedup in curve], marker="o", color=colour, label=f"batch {batch}")
        at = crossover(curve)
        if not at.startswith(("below", "above")):
            axes.plot([1 - float(at)], [1], marker="x", markersize=9, color=colour)
            axes.annotate(at, (1 - float(at), 1), textcoords="offset points", xytext=(4, -12), fontsize=8, color=colour)
    axes.axhline(1, color="black", linewidth=1)
    axes.set_xscale("log")  # of the density, so that equal steps are equal factors of work
    axes.invert_xaxis()
    sparsities = sorted({sparsity for curve in curves.values() for sparsity, _ in curve})
    axes.set_xticks([1 - sparsity for sparsity in sparsities], [f"{sparsity:.2f}" for sparsity in sparsities])
    axes.minorticks_off()
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("sparsity")
    axes.set_ylabel("speed-up over dense")
    axes.set_title("Forward, 4000 x 4000, float")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def document(results, machine, curves):
    """All tables as markdown, with headings."""
    all_threads = dict(threads=results.threads)
    square = dict(out_features=4000, in_features=4000)
    sections = [
        ("Forward", compare(results, operation="forward", cache="warm", **square, **all_threads)),
        ("Forward, cold weights", compare(results, operation="forward", cache="cold", **square, **all_threads)),
        ("Forward, one thread", compare(results, operation="forward", cache="warm", threads=1, **square)
         if results.threads > 1 else []),
        ("Forward of Host, sparsity 0.95: one thread against all", one_thread(results)),
        ("Forward, other shapes", other_shapes(results, "forward")),
        ("Input gradient", compare(results, operation="input_gradient", **all_threads)),
        ("Weight gradient", compare(results, operation="weight_gradient", **all_threads)),
        ("Both gradients", compare(results, operation="backward", **all_threads)),
        ("Both gradients over forward, Host", backward_over_forward(results)),
        ("Training step", compare(results, operation="training_step", **square, **all_threads)),
        ("Training step, other shapes", other_shapes(results, "training_step")),
        ("Memory of a training step, MB", memory(results)),
        ("A few rows fifty times the mean", single(results, ("forward_skewed", "backward_skewed"))),
        ("Making and rewiring a layer", single(results, ("initialiser", "rewire"))),
        ("A training step of the example, part by part", parts(results)),
        ("Goals", goals(results)),
        ("Where dense is as fast", crossovers(curves)),
    ]
    lines = ["```", *machine, "```", ""]
    for title, table in sections:
        if table:
            lines += [f"### {title}", "", *table, ""]
    return lines


def other_shapes(results, operation):
    rest = Results.__new__(Results)
    rest.rows = [row for row in results.rows if (row["out_features"], row["in_features"]) != (4000, 4000)]
    rest.threads = results.threads
    return compare(rest, operation=operation, threads=results.threads)


def write_between_markers(path, lines, begin=BEGIN):
    text = path.read_text()
    if begin not in text or END not in text:
        raise SystemExit(f"{path.name} lacks the markers of its tables")
    before, after = text.split(begin)[0], text.split(END)[1]
    path.write_text(before + "\n".join([begin, "", *lines]) + END + after)


def print_short(results):
    """Forward at three batches, for a terminal; nothing if there are no such rows."""
    if not results.pick(operation="forward", out_features=4000, cache="warm"):
        return
    print(f"forward, 4000 x 4000, {results.threads} threads, microseconds")
    names = list(COLUMNS)
    print(f"{'sparsity':>8} {'batch':>5}" + "".join(f"{name:>14}" for name in names) + f"{'best other / Host':>20}")
    wanted = dict(operation="forward", out_features=4000, in_features=4000, threads=results.threads, cache="warm")
    for sparsity in results.values("sparsity", **wanted):
        for batch in results.values("batch", sparsity=sparsity, **wanted):
            if batch in (1, 4, 32):
                best = {name: results.best(COLUMNS[name], sparsity=sparsity, batch=batch, **wanted) for name in names}
                others = [best[name] for name in PEERS if best[name]]
                fastest = min(others, key=lambda row: row["median_us"], default=None)
                print(f"{sparsity:>8.2f} {batch:>5}" + "".join(f"{duration(best[name]):>14}" for name in names) +
                      f"{ratio(best['Host'], fastest):>20}")
    for line in goals(results)[2:]:
        sparsity, batch, name, goal, measured, reached = (cell.strip() for cell in line.strip("|").split("|"))
        print(f"goal: {goal} times {name} at {sparsity}, batch {batch}: {measured}, "
              f"{'reached' if reached == 'yes' else 'missed'}")
    for line in step_sums(results):
        print(f"step of the example, {line}")


def main(arguments):
    if not 1 <= len(arguments) <= 2:
        raise SystemExit(__doc__)
    folder = Path(arguments[0])
    results = Results(folder / "results.csv")
    curves = speedups(results)
    if curves:
        plot(curves, folder / "speedup_over_dense.svg")
    if len(arguments) == 2:
        machine = (folder / "machine.txt").read_text().splitlines()
        write_between_markers(Path(arguments[1]), document(results, machine, curves))
    print_short(results)


if __name__ == "__main__":
    main(sys.argv[1:])

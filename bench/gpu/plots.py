# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plots of the GPU benchmarks, SVG files whose bytes follow from the results alone."""

import sys

CURVES = {
    "snack": "tab:blue",
    "paper's kernel, sorted": "tab:orange",
    "paper's kernel, shuffled": "tab:red",
    "cuSPARSE": "tab:green",
    "dense": "black",
    "dense TF32": "tab:grey",
    "dense + mask": "tab:purple",
}


def series(results, kind, along, **wanted):
    """Points (value of `along`, us) of one kind of method."""
    values = sorted({row[along] for row in results.timed(**wanted)})
    points = [(value, results.kind(kind, **{along: value}, **wanted)) for value in values]
    return [(value, row["median_us"]) for value, row in points if row]


def draw(axes, results, along, **wanted):
    drawn = False
    for kind, colour in CURVES.items():
        points = series(results, kind, along, **wanted)
        if len(points) > 1:
            axes.plot(*zip(*points), marker="o", markersize=3, color=colour, label=kind)
            drawn = True
    axes.set_yscale("log")
    axes.set_ylabel("us")
    axes.set_xlabel(along.replace("_", " "))
    axes.grid(True, which="both", alpha=0.3)
    return drawn


def save(pyplot, figure, axes, path, title):
    axes[0].legend(fontsize=7)
    figure.suptitle(title, fontsize=10)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def forward_by_batch(pyplot, results, path):
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    if draw(axes, results, "batch", operation="forward", cache="cold", out_features=10000, in_features=10000,
            sparsity=0.95):
        axes.set_xscale("log", base=2)
        save(pyplot, figure, [axes], path, "Forward, 10000 x 10000, 95 %, cold cache")


def sparsity_sweep(pyplot, results, path):
    """The paper's figure 2."""
    figure, axes = pyplot.subplots(1, 2, figsize=(9, 4), sharey=True)
    drawn = False
    for panel, batch in zip(axes, (1, 2)):
        drawn |= draw(panel, results, "sparsity", operation="forward", cache="cold", out_features=5000,
                      in_features=5000, batch=batch)
        panel.set_title(f"batch {batch}", fontsize=9)
    if drawn:
        save(pyplot, figure, axes, path, "Forward, 5000 x 5000, cold cache (the paper's figure 2)")


def training_by_batch(pyplot, results, path):
    """The paper's figure 3, its first panel."""
    figure, axes = pyplot.subplots(1, 3, figsize=(11, 4), sharey=True)
    drawn = False
    for panel, sparsity in zip(axes, (0.90, 0.95, 0.99)):
        drawn |= draw(panel, results, "batch", operation="training_step", file="training", cache="cold",
                      out_features=10000, in_features=10000, sparsity=sparsity)
        panel.set_xscale("log", base=2)
        panel.set_title(f"sparsity {sparsity:.2f}", fontsize=9)
    if drawn:
        save(pyplot, figure, axes, path, "Training step, 10000 x 10000 (the paper's figure 3)")


def memory(pyplot, results, path):
    """The paper's figure 4."""
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    curves = {}
    for row in results.pick(file="memory"):
        if row["peak_bytes"] > 0:
            curves.setdefault((row["method"], row["sparsity"]), []).append(row)
    if not curves:
        return
    for (method, sparsity), rows in curves.items():
        sizes = [row["in_features"] for row in rows]
        line, = axes.plot(sizes, [row["memory_bytes"] / 1e6 for row in rows], marker="o", markersize=3,
                          label=f"{method}, {sparsity:.2f}")
        axes.plot(sizes, [row["peak_bytes"] / 1e6 for row in rows], linestyle=":", linewidth=1, color=line.get_color())
    axes.axhline(8000, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("input features")
    axes.set_ylabel("MB")
    axes.grid(True, which="both", alpha=0.3)
    save(pyplot, figure, [axes], path, "Memory of a training step, 10000 outputs; dotted: while the layer is made")


def write_all(results, folder):
    try:
        import matplotlib
    except ImportError:
        print("matplotlib not found: no plots", file=sys.stderr)
        return
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "snack"  # same data, same file
    from matplotlib import pyplot
    forward_by_batch(pyplot, results, folder / "forward_by_batch.svg")
    sparsity_sweep(pyplot, results, folder / "sparsity_sweep.svg")
    training_by_batch(pyplot, results, folder / "training_by_batch.svg")
    memory(pyplot, results, folder / "memory.svg")

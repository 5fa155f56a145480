"""Draws how the time of a build grows with the number of points."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot  # noqa: E402
from matplotlib.ticker import FuncFormatter, NullFormatter  # noqa: E402
from math import log2  # noqa: E402

COLOURS = {"uniform": "#1f6f8b", "clustered": "#c8553d"}


def draw(curves, path):
    """Draws the picture. `curves` maps each kind of points to seconds by number of points."""
    pyplot.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False})
    figure, (times, costs) = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for kind, curve in curves.items():
        sizes = sorted(curve)
        cost = {size: curve[size] / (size * log2(size)) for size in sizes}
        times.plot(sizes, [curve[size] for size in sizes], "o-", color=COLOURS[kind], label=kind)
        costs.plot(sizes, [cost[size] / cost[sizes[0]] for size in sizes], "o-", color=COLOURS[kind], label=kind)
    times.set(yscale="log", title="Time of a build on two cores", ylabel="seconds")
    times.legend(frameon=False)
    costs.axhline(1.3, color="#888888", linestyle="--", linewidth=1)
    costs.annotate("bound: 1.3", (0.02, 1.31), xycoords=("axes fraction", "data"), va="bottom", color="#666666")
    costs.set(ylim=(0, 1.6), title="Time divided by N log N", ylabel=f"relative to {sizes[0]:,} points")
    for axes in (times, costs):
        axes.set(xscale="log", xlabel="points")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda size, _: f"{size / 1e6:g} M"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.grid(color="#e5e5e5", linewidth=0.6)
        axes.set_axisbelow(True)
    figure.savefig(path, dpi=150)

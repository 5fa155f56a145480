"""Draws the picture of the Python guide: the clusters of pysupercluster and of Treeline in one view, as badges of equal
size over some of the points. The argument is the SVG file to write."""

import pathlib
import sys

import numpy as np
import pandas
import pysupercluster
import treelinemap

ROOT = pathlib.Path(__file__).resolve().parents[2]
BOX, ZOOM, DIAMETER = (-24.6, 63.2, -18.0, 65.4), 7, 40


def main(path):
    places = pandas.read_csv(ROOT / "Fixtures/iceland_addresses.csv.gz", usecols=[0, 1]).to_numpy()
    index = pysupercluster.SuperCluster(places, min_zoom=0, max_zoom=16, radius=DIAMETER, extent=512)
    theirs = index.getClusters(top_left=(BOX[0], BOX[3]), bottom_right=(BOX[2], BOX[1]), zoom=ZOOM - 1)
    ours = treelinemap.build(places, supporting="spacing").clusters(BOX, ZOOM, spacing=DIAMETER)
    inside = (places >= BOX[:2]).all(axis=1) & (places <= BOX[2:]).all(axis=1)
    some = places[inside][np.random.default_rng(1).permutation(inside.sum())[:1500]]
    panels = [
        ("pysupercluster, radius 40", [(c["longitude"], c["latitude"], c["count"]) for c in theirs]),
        ("treeline, spacing 40", list(zip(ours.x, ours.y, ours.count.tolist()))),
    ]
    width, height = pixels(BOX[2], BOX[1])
    parts = []
    for number, (title, clusters) in enumerate(panels):
        dots = "".join("M{:.0f} {:.0f}h0".format(*pixels(*place)) for place in some)
        clusters = [c for c in clusters if BOX[0] <= c[0] <= BOX[2] and BOX[1] <= c[1] <= BOX[3]]
        positions = np.array([pixels(x, y) for x, y, _ in clusters])
        distances = np.hypot(*(positions[:, None] - positions).transpose(2, 0, 1))
        overlapping = ((distances < DIAMETER).sum(axis=1) > 1).sum()
        title += f": {len(clusters)} badges, {overlapping or 'none'} of which overlap"
        parts.append(f'<g transform="translate({number * (width + 16):.0f} 40)">')
        parts.append(f'<text x="{width / 2:.0f}" y="-22" class="title">{title}</text>')
        parts.append(f'<path d="{dots}" class="dots"/>')
        for x, y, count in clusters:
            left, top = pixels(x, y)
            parts.append(f'<circle cx="{left:.1f}" cy="{top:.1f}" r="{DIAMETER / 2:.0f}"/>')
            parts.append(f'<text x="{left:.1f}" y="{top + 4:.1f}">{abbreviated(count)}</text>')
        parts.append("</g>")
    style = (
        "svg{background:#fff}circle{fill:#1a7f6b;fill-opacity:.75;stroke:#fff}.dots{stroke:#999;stroke-width:2;"
        "stroke-linecap:round}text{font:11px sans-serif;fill:#fff;text-anchor:middle}.title{font-size:14px;fill:#333}"
    )
    size = f"{2 * width + 16:.0f} {height + 60:.0f}"
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}"><style>{style}</style>'
    pathlib.Path(path).write_text("\n".join([svg, *parts, "</svg>\n"]))


def pixels(x, y):
    """Returns the position on the screen, in pixels from the upper left corner of the box."""

    def mercator(x, y):
        return x / 360, -np.log(np.tan(np.pi / 4 + np.radians(y) / 2)) / (2 * np.pi)

    (left, top), (px, py) = mercator(BOX[0], BOX[3]), mercator(x, y)
    return (px - left) * 256 * 2**ZOOM, (py - top) * 256 * 2**ZOOM


def abbreviated(count):
    return str(count) if count < 1000 else f"{count / 1000:.1f}k" if count < 10_000 else f"{count / 1000:.0f}k"


main(*sys.argv[1:])

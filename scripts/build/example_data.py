"""Writes the points of the example pages, and the land that is drawn below the points, as scripts into a folder.

    example_data.py FOLDER
"""

import csv
import gzip
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

#: Draws the land on a map of MapLibre or of Leaflet, in light and dark colors.
LAND = """
const landColours = matchMedia("(prefers-color-scheme: dark)").matches ? { sea: "#0e1720", land: "#22282f" } : { sea: "#d2e3ea", land: "#f8f7f1" };

/** A style of MapLibre. */
const landStyle = () => ({
  version: 8,
  sources: { land: { type: "geojson", data: land, attribution: "Natural Earth" } },
  layers: [
    { id: "sea", type: "background", paint: { "background-color": landColours.sea } },
    { id: "land", type: "fill", source: "land", paint: { "fill-color": landColours.land } },
  ],
});

/** A layer of Leaflet. */
const landLayer = () => L.geoJSON(land, {
  attribution: "Natural Earth", interactive: false, style: { weight: 0, fillColor: landColours.land, fillOpacity: 1 },
});
"""


def main():
    folder = pathlib.Path(sys.argv[1])
    with gzip.open(ROOT / "Fixtures/airports.csv.gz", "rt", newline="") as file:
        features = [
            {"type": "Feature", "properties": {name: row[name] for name in ("name", "country", "elevation")},
             "geometry": {"type": "Point", "coordinates": [float(row["longitude"]), float(row["latitude"])]}}
            for row in csv.DictReader(file)
        ]
    (folder / "airports.js").write_text(f"const airports = {compact(features)};\n")
    land = json.loads((ROOT / "Fixtures/land_110m.geojson").read_text())
    (folder / "land.js").write_text(f"const land = {compact(land)};\n{LAND}")


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    main()

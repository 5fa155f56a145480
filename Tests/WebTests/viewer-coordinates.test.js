// Coordinates in the search of the server's viewer.

import assert from "node:assert/strict";
import { test } from "node:test";

import { coordinateProblem, coordinatesIn, planeCoordinatesIn } from "../../Sources/TreelineServer/Resources/viewer/coordinates.js";
import { Plane } from "../../Sources/TreelineServer/Resources/viewer/ground.js";

const found = (text) => coordinatesIn(text).map(({ latitude, longitude }) => [latitude, longitude].map((value) => +value.toFixed(4)));

const PARIS = ["48.85, 2.35", "48,85; 2,35", "48,85 2,35", "48.85N 2.35E", "48.85n, 2.35e", "N 48.85 E 2.35", "2.35E 48.85N", "48°51'N 2°21'E", "48 51' 2 21'",
  "48°51′0″N2°21′0″E", "N 48° 51.0' E 2° 21.0'", "geo:48.85,2.35", "geo:48.85,2.35,120;u=30?z=9"];

for (const text of PARIS) {
  test(`a position is found in ${text}`, () => assert.deepEqual(found(text), [[48.85, 2.35]]));
}

test("signs and letters say on which side of the equator and of Greenwich a position lies", () => {
  assert.deepEqual(found("-33.9, 151.2"), [[-33.9, 151.2]]);
  assert.deepEqual(found("33.9S 151.2W"), [[-33.9, -151.2]]);
  assert.deepEqual(found("33°30'S, 70°40'12\"W"), [[-33.5, -70.67]]);
  assert.deepEqual(found("\u221233.5 \u221270.25"), [[-33.5, -70.25]]);
  // 151 is no latitude.
  assert.deepEqual(found("151.2, -33.9"), [[-33.9, 151.2]]);
});

test("a geo address has the latitude first", () => {
  assert.deepEqual(found("91,5"), [[5, 91]]);
  assert.deepEqual(found("geo:91,5"), []);
  assert.equal(coordinateProblem("geo:91,5"), "a latitude must be from −90 to 90");
});

test("other texts have no position", () => {
  for (const text of ["", "12", "1 2 3", "place 12", "95, 95", "89, 10", "12N 3N", "48°61'N 2°E", "48.85 2.35 x", "- 5", "A1, 2", "400, 0"]) {
    assert.deepEqual(found(text), [], text);
  }
});

test("coordinates that are nowhere on the map say why", () => {
  for (const text of ["95, 400", "95, 95", "90.1N 10E"]) assert.equal(coordinateProblem(text), "a latitude must be from −90 to 90", text);
  assert.equal(coordinateProblem("48, 400"), "a longitude must be from −180 to 180");
  assert.equal(coordinateProblem("89, 10"), "the map ends at the latitudes −85 and 85");
  for (const text of ["", "12", "place 12", "12N 3N", "48°61'N 2°E", "48.85, 2.35"]) assert.equal(coordinateProblem(text), "", text);
});

test("on a plane x comes first, and only positions in its square are found", () => {
  const plane = new Plane({ bounds: [448000, 5410000, 449000, 5410500], unit: "m" });
  for (const text of ["448250, 5410400", "448250 5410400", "448250,0; 5410400,0"]) {
    const [{ title, latitude, longitude }] = planeCoordinatesIn(text, plane);
    assert.deepEqual(plane.coordinates([longitude, latitude]).map(Math.round), [448250, 5410400]);
    assert.equal(title, "448,250, 5,410,400");
  }
  for (const text of ["0, 0", "448250E 5410400N", "5410400, 448250", "448250"]) assert.deepEqual(planeCoordinatesIn(text, plane), [], text);
});

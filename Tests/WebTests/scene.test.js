// Checks how badges move. Plays the changes for which golden frames are stored, which the module TreelineMap must also
// match, and random changes that interrupt each other.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";

import { Scene } from "../../Sources/TreelineWeb/src/map/scene.js";
import { FIXTURES, seeded, trials } from "./support.js";

const WORLD = 2 ** 32;
const NONE = { kept: [], splits: [], merges: [], entered: [], left: [] };
const idOf = ({ id }) => ({ cluster_id: id });

test("the scene draws each golden frame like the module for apps", () => {
  const { steps } = JSON.parse(readFileSync(join(FIXTURES, "golden/map/frames.json")));
  assert(steps.length > 50);
  const scene = new Scene();
  const named = (id) => ({ cluster_id: id });
  const replaced = ({ whole, parts }) => ({ whole: named(whole), parts: parts.map(named) });
  const compare = (a, b) => a.map((number, i) => number - b[i]).find((difference) => difference !== 0) ?? 0;
  let frameCount = 0;
  steps.forEach(({ at, isInstant, clusters, kept, splits, merges, entered, left, frames }, step) => {
    const change = {
      kept: kept.map(named), splits: splits.map(replaced), merges: merges.map(replaced), entered: entered.map(named), left: left.map(named),
    };
    const fresh = clusters.map(([id, first, count, x, y, radius]) => ({ id, first, count, x: x / WORLD, y: y / WORLD, radius }));
    scene.apply(change, fresh, at, isInstant);
    for (const { at, badges } of frames) {
      scene.advance(at);
      const found = scene.sprites.filter((sprite) => !sprite.isForming(at)).map((sprite) => [
        sprite.cluster.id,
        ...[sprite.x * WORLD, sprite.y * WORLD, sprite.size, sprite.alpha].map((number) => Math.round(number * 1000)),
        Number(sprite.showsLabel(at)),
      ]).sort(compare);
      const isSame = found.length === badges.length && found.every((badge, i) =>
        badge.every((number, j) => Math.abs(number - badges[i][j]) <= (j === 0 || j === 5 ? 0 : 1)));
      assert(isSame, `step ${step} at ${at}: found ${JSON.stringify(found)}, expected ${JSON.stringify(badges)}`);
      frameCount++;
    }
  });
  assert(frameCount >= 100, `${frameCount} frames`);
});

/**
 * Returns a node of a tree over 64 points. A node is a range of points, and its parts are the two halves of the range.
 */
const node = (first, count) => ({ id: first * 1024 + count, first, count, x: (first + count / 2) / 64, y: 0.5, radius: 20 });
const holds = (a, b) => a.first <= b.first && b.first + b.count <= a.first + a.count;

function changeOf(old, fresh) {
  return {
    kept: fresh.filter((n) => old.some((o) => o.id === n.id)).map(idOf),
    splits: old.filter((o) => fresh.some((n) => n.id !== o.id && holds(o, n)))
      .map((o) => ({ whole: idOf(o), parts: fresh.filter((n) => holds(o, n)).map(idOf) })),
    merges: fresh.filter((n) => old.some((o) => n.id !== o.id && holds(n, o)))
      .map((n) => ({ whole: idOf(n), parts: old.filter((o) => holds(n, o)).map(idOf) })),
    entered: fresh.filter((n) => !old.some((o) => holds(n, o) || holds(o, n))).map(idOf),
    left: old.filter((o) => !fresh.some((n) => holds(n, o) || holds(o, n))).map(idOf),
  };
}

test("at any moment one label counts each point, even if changes interrupt each other", () => {
  // When a cluster of 5 splits into 2 and 3, the labels must never add up to 10.
  const { random, below, between } = seeded("interrupted changes");
  const cut = (n, p, [from, to]) => n.first >= to || n.first + n.count <= from ? [] : n.count > 1 && random() < p
    ? [...cut(node(n.first, n.count / 2), p, [from, to]), ...cut(node(n.first + n.count / 2, n.count / 2), p, [from, to])] : [n];
  const scene = new Scene();
  let [old, now, wasTold] = [[], 1000, new Array(64).fill(false)];
  for (let step = 0; step < trials(3000); step++) {
    // The window pans, and sometimes shows all points.
    const from = random() < 0.3 ? 0 : below(60);
    const fresh = cut(node(0, 64), between(0.2, 0.9), [from, random() < 0.3 ? 64 : from + 4 + below(60)]);
    const isShown = Array.from({ length: 64 }, (_, i) => fresh.some((n) => n.first <= i && i < n.first + n.count));
    wasTold = wasTold.map((told, i) => told && isShown[i]);
    scene.advance(now);
    const drawn = new Map(scene.sprites.map((sprite) => [sprite, sprite.x]));
    const isInstant = random() < 0.05;
    scene.apply(changeOf(old, fresh), fresh, now, isInstant);
    for (const sprite of isInstant ? [] : scene.sprites) {
      assert(Math.abs((drawn.get(sprite) ?? sprite.x) - sprite.x) <= 1e-9, `step ${step}: ${sprite.cluster.id} jumps to ${sprite.x}`);
    }
    assert.deepEqual(scene.ids, fresh.map(({ id }) => id));
    old = fresh;
    // The next change may interrupt this change, or begin after its end.
    const pause = random() < 0.2 ? 1500 : between(0, 400);
    for (let time = now; time < now + pause; time += 16) {
      scene.advance(time);
      const told = new Array(64).fill(0);
      for (const sprite of scene.sprites) {
        if (sprite.showsLabel(time)) for (let i = 0; i < sprite.cluster.count; i++) told[sprite.cluster.first + i]++;
      }
      assert(told.every((times, i) => times <= 1 && (!wasTold[i] || times === 1)), `step ${step}: told ${told}`);
      wasTold = wasTold.map((was, i) => was || (isShown[i] && told[i] === 1));
    }
    if (pause === 1500) assert.deepEqual(wasTold, isShown, `step ${step}, at rest`);
    now += pause;
  }
});

test("parts that merge keep their labels until they arrive, even if another merge interrupts", () => {
  const badge = (id, count, x) => ({ id, count, first: 2 * (id % 10) * (count / 2), x, y: 0.5, radius: 20 });
  const leaves = Array.from({ length: 8 }, (_, i) => badge(i, 2, i / 8));
  const pairs = [0, 1, 2, 3].map((i) => badge(10 + i, 4, (4 * i + 1) / 16));
  const halves = [0, 1].map((i) => badge(20 + i, 8, (8 * i + 3) / 16));
  const merge = (wholes, parts) => ({
    ...NONE, merges: wholes.map((whole, i) => ({ whole: idOf(whole), parts: parts.slice(2 * i, 2 * i + 2).map(idOf) })),
  });
  const scene = new Scene();
  scene.apply({ ...NONE, entered: leaves.map(idOf) }, leaves, 0);
  scene.advance(5000);
  const steps = [[5000, merge(pairs, leaves), pairs], [5150, merge(halves, pairs), halves]];
  let labelled = 0;
  for (let now = 5000; now < 6500; now += 10) {
    if (steps[0]?.[0] === now) scene.apply(steps[0][1], steps.shift()[2], now);
    scene.advance(now);
    for (const sprite of scene.sprites) {
      const isDrawn = sprite.alpha > 0.01 && sprite.size > 0.01 && !sprite.isForming(now);
      assert(!isDrawn || sprite.showsLabel(now), `${sprite.cluster.id} has no label at ${now}`);
      if (sprite.labelUntil - now <= 10) assert(Math.abs(sprite.x - sprite.toX) <= 1e-3, `${sprite.cluster.id} is on its way at ${now}`);
      labelled += isDrawn;
    }
  }
  assert(labelled > 500);
  assert.deepEqual(scene.clusters.map(({ count }) => count), [8, 8]);
});

test("if another tree is shown, only badges with equal looks stay, and numbers of both trees are never shown together", () => {
  const { random, below } = seeded("replaced trees");
  // Three clusters have positions and counts from a few values, so that some look alike.
  const answer = (offset) => Array.from({ length: 3 }, (_, i) => ({
    id: (offset + i) * 1024 + 1, first: offset + i, count: 1 + below(2), x: (i + 1 + below(2) * 0.25) / 8, y: 0.5, radius: 20,
  }));
  const look = ({ x, count }) => `${x} ${count}`;
  let stayed = 0;
  for (let round = 0; round < trials(300); round++) {
    const scene = new Scene();
    const [old, fresh] = [answer(0), answer(below(2) * 100)];
    scene.apply({ ...NONE, entered: old.map(idOf) }, old, 0);
    const now = random() < 0.5 ? 5000 : 200;
    scene.advance(now);
    const before = new Map(scene.sprites.map((sprite) => [look(sprite.cluster), sprite]));
    scene.replace(fresh, now);
    assert.deepEqual(scene.ids, fresh.map(({ id }) => id));
    for (const cluster of fresh) {
      const isSame = before.get(look(cluster)) === scene.sprite(cluster.id);
      assert.equal(isSame, before.has(look(cluster)));
      stayed += isSame;
    }
    for (let time = now; time < now + 1000; time += 16) {
      scene.advance(time);
      const told = scene.sprites.filter((sprite) => sprite.showsLabel(time));
      assert(told.every(({ cluster }) => fresh.some(({ id }) => id === cluster.id)));
    }
    assert.equal(scene.sprites.length, 3);
  }
  assert(stayed > 10);
});

test("without motion all badges are at their targets at once", () => {
  const scene = new Scene();
  const [whole, ...parts] = [node(0, 64), node(0, 32), node(32, 32)];
  scene.apply(changeOf([], [whole]), [whole], 0, true);
  scene.apply(changeOf([whole], parts), parts, 10, true);
  assert(!scene.isMoving);
  assert.deepEqual(scene.sprites.map(({ x, size, cluster }) => [x, size, cluster.id]), parts.map(({ x, id }) => [x, 1, id]));
});

test("sprites that no longer move are exactly at their targets", () => {
  const { random } = seeded("arrivals");
  for (let trial = 0; trial < 2000; trial++) {
    const scene = new Scene(), whole = node(0, 64), parts = [node(0, 24), node(24, 40)];
    for (const n of [whole, ...parts]) n.x = random() + random() / 2 ** 33;
    const entered = random() * 1e6, now = entered + random() * 1000;
    scene.apply({ ...NONE, entered: [idOf(whole)] }, [whole], entered, true);
    scene.apply(changeOf([whole], parts), parts, now);
    // The whole has left, and the parts are moving. They keep their positions until the next frame, however late it is.
    scene.advance(now + 300);
    assert(scene.isMoving, `trial ${trial}`);
    // The first moment at which the parts have arrived, and no later frame.
    scene.advance(now + 380);
    assert(!scene.isMoving);
    for (const n of parts) {
      const { x, y, size, alpha } = scene.sprite(n.id);
      const nearest = n.x - Math.round(n.x - whole.x);
      assert.deepEqual([x, y, size, alpha], [nearest, n.y, 1, 1], `trial ${trial}`);
    }
  }
});

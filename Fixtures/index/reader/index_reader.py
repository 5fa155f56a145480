"""Reads an index and answers every cut. This reader was written only from IndexFormat.md, and so shows that the
document suffices. It should be easy to read, not fast: it is plain Python without any package."""

import datetime
import decimal
import functools
import heapq
import json
import math
import struct
import sys
import unicodedata
from collections import namedtuple
from fractions import Fraction

from projection import exp2, latitude_of_y, log2, y_of_latitude

TURN = 1 << 32
EDGE = TURN - 1
NULL, ABSENT = 0x7FF8_0000_0000_0000, 0x7FF8_0000_0000_0001
OWN_PROPERTIES = ("cluster", "cluster_id", "point_count", "point_count_abbreviated", "point_count_in_view", "stack",
                  "badge_px", "ellipse", "ellipse_meters", "ellipse_units", "hull", "shown_index", "index", "members",
                  "area_km2", "area_px", "cluster_group")

Node = namedtuple("Node", "first count record level depth")
"""A range of points in tree order. `record` is the record of the node or, for a node `depth` levels below a bucket, the
record of the bucket."""

Window = namedtuple("Window", "x width min_y max_y")
EVERYTHING = Window(0, EDGE, 0, EDGE)


class Index:
    """An index as arrays. Shows the layout of the bytes, section by section."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        if data[:8] != b"\x89TRL\r\n\x1a\n":
            raise ValueError("expected an index, found other bytes")
        major, minor, header_length, file_length = struct.unpack_from("<HHIQ", data, 8)
        if major != 1:
            raise ValueError(f"expected major version 1, found {major}")
        self.point_count, self.node_count, projection, self.seam = struct.unpack_from("<IIII", data, 24)
        self.left, self.top, self.side = struct.unpack_from("<ddd", data, 40)
        section_count, = struct.unpack_from("<I", data, 68)
        growth, _, traits = struct.unpack_from("<III", data, 80)
        self.crosses_seam = traits & 1
        checksum, = struct.unpack_from("<Q", data, 120)
        if file_length != len(data) or header_length != 128 + 32 * section_count:
            raise ValueError("the lengths disagree")
        if xxh64(data[:120] + bytes(8) + data[128:header_length]) != checksum:
            raise ValueError("the header's checksum disagrees")
        self.is_mercator = projection == 1

        sections, attributes, matrices = {}, [], []
        self.title = self.attribution = self.unit = None
        for number in range(section_count):
            kind, flags, offset, length, _ = struct.unpack_from("<IIQQQ", data, 128 + 32 * number)
            section = memoryview(data)[offset:offset + length]
            if kind == 16 or kind == 18 and minor >= 3:
                attributes.append((Attribute if kind == 16 else Column, section))
            elif kind in (19, 20) and minor >= 3 or kind == 23 and minor >= 5:
                matrices.append((kind, section))
            elif kind == 17 and minor >= 1:
                self.title, self.attribution, self.unit = described(section)
            elif kind <= 7 or kind <= 10 and minor >= 2 or kind == 22 and minor >= 4:
                sections[kind] = section
            elif flags & 1:
                raise ValueError(f"expected sections that are known, found the kind {kind}")
        if sys.byteorder != "little":
            raise ValueError("this reader needs a little-endian machine")
        self.points = sections[1].cast("I")
        self.rows = sections[22].cast("Q") if 22 in sections else sections[2].cast("I")
        self.gaps = sections[3]
        self.nodes = sections[4].cast("I")
        self.sums = sections[5].cast("Q")
        self.spreads = sections[6].cast("f")
        self.codes, self.badges = None, None
        if growth == 5 and 8 in sections:
            self.codes, self.badges = sections[8].cast("H"), BadgeCurve(sections[9])
        elif growth != 5 and 7 in sections:
            self.codes = sections[7].cast("H")
        self.anchors = sections[10] if traits & 4 else None
        self.attributes = [make(section, self.point_count) for make, section in attributes]
        columns = [column for column in self.attributes if isinstance(column, Column)]
        for kind, section in matrices:
            if kind == 23:
                search = Search(section)
                columns[search.column].search = search
                continue
            matrix = Matrix(section, self.point_count)
            setattr(columns[matrix.column], "ranks" if kind == 19 else "links", matrix)
        self.root = Node(0, self.point_count, 0, 0, 0) if self.point_count else None

    # The hierarchy

    def left_record(self, node):
        """Returns the record of the left child of a node; None if the node's children have no records, or if it has
        none."""
        offset = self.nodes[6 * node.record + 5]
        return node.record + offset if offset and node.depth == 0 else None

    def children(self, node):
        """Returns the left child and the right child of a node; an empty tuple if the node has only one position."""
        left = self.left_record(node)
        if left is not None:
            count = self.nodes[6 * left + 4]
            return (Node(node.first, count, left, node.level + 1, 0),
                    Node(node.first + count, node.count - count, left + 1, node.level + 1, 0))
        if node.count == 1 or node.count > 16:
            return ()
        for index in range(node.first, node.first + node.count - 1):
            if self.gaps[index // 2] >> 4 * (index % 2) & 15 == node.depth < 15:
                count = index + 1 - node.first
                below = (node.record, node.level + 1, node.depth + 1)
                return Node(node.first, count, *below), Node(index + 1, node.count - count, *below)
        return ()

    def positions(self, node):
        """Yields the tree index, x and y of each point of a node."""
        for index in range(node.first, node.first + node.count):
            yield index, self.points[2 * index], self.points[2 * index + 1]

    def box(self, node):
        of_record = tuple(self.nodes[6 * node.record:6 * node.record + 4])
        if node.depth == 0:
            return of_record
        _, xs, ys = zip(*self.positions(node))
        if self.crosses_seam and max(xs) - min(xs) >= TURN // 2:
            # Goes from the least x in the eastern half to the greatest x in the western half. If this is the narrower
            # way, the box crosses the seam.
            east, west = min(x for x in xs if x >= TURN // 2), max(x for x in xs if x < TURN // 2)
            if (west - east) % TURN < TURN // 2:
                return east, min(ys), west, max(ys)
        return min(xs), min(ys), max(xs), max(ys)

    # Clusters

    def anchor(self, node):
        """Returns the tree index of the point at which a node is positioned; None if the node is positioned at its
        mean."""
        if self.anchors is None:
            return None
        while children := self.children(node):
            left, right = children
            node = right if self.anchors[right.first // 8] >> right.first % 8 & 1 else left
        return node.first

    def id(self, node):
        return 1024 * node.first + node.level

    def sums_of(self, node):
        """Returns Σ(x - min x) and Σ(y - min y) over the points of a node."""
        left = self.left_record(node)
        if left is not None:
            entry = (left - 1) // 2
            return self.sums[2 * entry], self.sums[2 * entry + 1]
        box = self.box(node)
        if box[:2] == box[2:]:
            return 0, 0
        _, xs, ys = zip(*self.positions(node))
        return sum((x - box[0]) % TURN for x in xs), sum(ys) - node.count * box[1]

    def mean(self, node):
        box, sums = self.box(node), self.sums_of(node)
        x, y = (float(corner) + float(sum) / float(node.count) for corner, sum in zip(box, sums))
        return (x if x < TURN else x - TURN), y

    def trace(self, node):
        """Returns xx + yy of the covariance of a node's points."""
        left = self.left_record(node)
        if left is not None:
            entry = (left - 1) // 2
            return self.spreads[3 * entry] + self.spreads[3 * entry + 2]
        box = self.box(node)
        if box[:2] == box[2:]:
            return 0.0
        sums, count = self.sums_of(node), float(node.count)
        mean_x, mean_y = float(sums[0]) / count, float(sums[1]) / count
        xx = yy = 0.0
        for _, x, y in self.positions(node):
            dx, dy = float((x - box[0]) % TURN) - mean_x, float(y - box[1]) - mean_y
            xx += dx * dx
            yy += dy * dy
        return f32(xx / count) + f32(yy / count)

    def scatter(self, node):
        return float(node.count) * self.trace(node)

    @property
    def has_separations(self):
        return self.codes is not None and self.badges is None

    def code(self, node):
        """Returns the code of the separation of a node. The node must have children."""
        return self.codes[self.children(node)[1].first]

    # The plane

    def position(self, x, y):
        """Returns the position on the plane of a coordinate."""
        if not self.is_mercator:
            return self.plain(x - self.left), self.plain(self.top - y)
        if abs(x) > 360:
            x = math.fmod(x, 360)
        east = rounded((x + 180) * (TURN / 360)) % TURN
        return (east - self.seam) % TURN, rounded(min(max(y_of_latitude(y), 0.0), float(EDGE)))

    def middle(self, x, y):
        """Returns the position of the center of a screen. It may be outside the square of a plain plane."""
        if self.is_mercator or not self.side:
            return self.position(x, y)
        return rounded((x - self.left) / self.side * EDGE), rounded((self.top - y) / self.side * EDGE)

    def plain(self, distance):
        return rounded(min(max(distance / self.side * EDGE, 0.0), float(EDGE))) if self.side else 0

    def coordinate(self, x, y):
        if not self.is_mercator:
            return self.left + x / EDGE * self.side, self.top - y / EDGE * self.side
        turns = (x + self.seam) / TURN
        return (turns - math.floor(turns)) * 360 - 180, latitude_of_y(y)

    def bounds(self, node):
        """Returns the bounds of a node: west, south, east and north."""
        min_x, min_y, max_x, max_y = self.box(node)
        (west, north), (east, south) = self.coordinate(min_x, min_y), self.coordinate(max_x, max_y)
        if self.is_mercator and east == -180 and max_x > min_x:
            east = 180.0
        return west, south, east, north

    # In view

    def viewport(self, bbox=None, center=None, tile=None, zoom=None, width=None, height=None, tile_size=256, margin=0):
        """Returns the window of a viewport, and its zoom for tiles of 256 px. Each of them is None if there is none."""
        if zoom is not None and tile_size == 512:
            zoom += 1
        window = EVERYTHING
        if tile is not None:
            zoom, column, row = tile
            side = 1 << 32 - zoom
            window = Window((column * side - self.seam) % TURN if zoom else 0, min(side, EDGE), row * side,
                            min(row * side + side, EDGE))
            zoom = zoom + 1.0 if tile_size == 512 else float(zoom)
        elif center is not None:
            units = exp2(24 - zoom)
            x, y = self.middle(*center)
            west, north = self.coordinate(x - width / 2 * units, y - height / 2 * units)
            east, south = self.coordinate(x + width / 2 * units, y + height / 2 * units)
            if self.is_mercator and width * units > EDGE:
                west, east = -180.0, 180.0
            window = self.window(west, south, east, north)
        elif bbox is not None:
            window = self.window(*bbox)
            if zoom is None and width is not None and window:
                zoom = 24 - log2(max(window.width / width, (window.max_y - window.min_y) / height, 1))
        if margin and window:
            window = self.widened(window, math.floor(min(margin * exp2(24 - zoom), 2.0 * TURN)))
        return window, zoom

    def window(self, west, south, east, north):
        """Returns the window of a box of coordinates; None if the box is outside the square of a plain plane."""
        if not self.is_mercator and (east < self.left or west - self.left > self.side
                                     or self.top - north > self.side or south > self.top):
            return None
        (x, min_y), (max_x, max_y) = self.position(west, north), self.position(east, south)
        width, degrees = (max_x - x) % TURN, east - west
        around = degrees + 360 if degrees < 0 else degrees
        if self.is_mercator and (degrees >= 360 or around > 270 and width < 1 << 30):
            x, width = 0, EDGE
        return Window(x, width, min_y, max_y)

    def widened(self, window, units):
        min_y, max_y = max(window.min_y - units, 0), min(window.max_y + units, EDGE)
        if not self.is_mercator:
            x = max(window.x - units, 0)
            return Window(x, min(window.x + window.width + units, EDGE) - x, min_y, max_y)
        width = window.width + 2 * units
        x, width = ((window.x - units) % TURN, width) if width < EDGE else (0, EDGE)
        return Window(x, width, min_y, max_y)


class Query:
    """Answers queries for one window. Remembers which nodes are in view."""

    def __init__(self, index, window):
        self.index, self.window = index, window
        self.known = {}

    def is_inside(self, x, y):
        return (x - self.window.x) % TURN <= self.window.width and self.window.min_y <= y <= self.window.max_y

    def is_in_view(self, node):
        key = node.first, node.count
        if key not in self.known:
            self.known[key] = self.has_point_inside(node)
        return self.known[key]

    def has_point_inside(self, node):
        if node.depth == 0:
            min_x, min_y, max_x, max_y = self.index.box(node)
            x, width, top, bottom = self.window
            start = (min_x - x) % TURN
            across = (max_x - min_x) % TURN
            is_within = start <= width and across <= width - start
            if is_within and top <= min_y and max_y <= bottom:
                return True
            if not (start <= width or (x - min_x) % TURN <= across) or max_y < top or bottom < min_y:
                return False
            if self.index.left_record(node) is not None:
                return any(self.is_in_view(child) for child in self.index.children(node))
            if node.count > 16:
                return False
        return any(self.is_inside(x, y) for _, x, y in self.index.positions(node))

    def children_in_view(self, node):
        return [child for child in self.index.children(node) if self.is_in_view(child)]

    # Cuts

    def by_limit(self, limit, order="breadth-first"):
        index = self.index
        if index.root is None or not self.is_in_view(index.root):
            return []
        waiting, answer = [], {}

        def wait(node, parent_worth):
            answer[node.first] = node
            children = index.children(node)
            if not children:
                return
            worth = 0.0
            if order != "breadth-first":
                worth = index.scatter(node)
                if order == "steepest-first":
                    worth -= index.scatter(children[0]) + index.scatter(children[1])
                worth = min(worth, parent_worth)
            heapq.heappush(waiting, (-worth, node.level, node.first, node))

        wait(index.root, math.inf)
        while waiting:
            worth, _, _, node = heapq.heappop(waiting)
            seen = self.children_in_view(node)
            if len(seen) == 2 and len(answer) >= limit:
                continue
            del answer[node.first]
            for child in seen:
                wait(child, -worth)
        return in_tree_order(answer.values())

    def by_pixels(self, coarseness, greatest, zoom, limit=math.inf, min_points=2, alone_from_zoom=math.inf):
        index = self.index
        if index.root is None:
            return []
        if zoom >= alone_from_zoom:
            answer = self.first_shown(lambda node: False)
            if len(answer) <= limit:
                return answer

        def is_whole(node):
            return node.count >= min_points and coarseness(node) <= greatest

        answer = self.first_shown(is_whole)
        if len(answer) > limit and index.root.count < min_points:
            min_points = 0
            answer = self.first_shown(is_whole)
        if len(answer) > limit:
            greatest = self.coarseness_at_limit(coarseness, min_points, limit)
            answer = self.first_shown(is_whole)
        return answer

    def first_shown(self, is_whole):
        answer, waiting = [], [self.index.root]
        while waiting:
            node = waiting.pop()
            if self.is_in_view(node):
                children = self.index.children(node)
                if children and not is_whole(node):
                    waiting += children
                else:
                    answer.append(node)
        return in_tree_order(answer)

    def coarseness_at_limit(self, coarseness, min_points, limit):
        waiting, count = [], 1

        def wait(node, bound):
            if self.index.children(node):
                own = bound if node.count < min_points else min(coarseness(node), bound)
                heapq.heappush(waiting, (-own, node))

        wait(self.index.root, math.inf)
        while waiting:
            bound, node = heapq.heappop(waiting)
            seen = self.children_in_view(node)
            count += len(seen) - 1
            if count > limit:
                return -bound
            for child in seen:
                wait(child, -bound)
        raise ValueError("there is room for all")

    def by_detail(self, pixels, zoom, **options):
        units = units_of(pixels, zoom)
        return self.by_pixels(self.index.trace, units * units, zoom, **options)

    def by_spacing(self, pixels, zoom, **options):
        return self.by_pixels(self.index.code, least_code(units_of(pixels, zoom) + 2) - 1, zoom, **options)

    def by_badges(self, scale, zoom, **options):
        least = least_code(8 * units_of(scale, zoom) + 2048 / self.index.badges.width_of_dots)
        return self.by_pixels(self.index.code, least - 1, zoom, **options)

    # Where clusters are shown

    def nearest_member(self, node, is_eligible=lambda x, y: True):
        """Returns the tree index of the eligible member that is nearest to the mean; None if no member is eligible."""
        (min_x, min_y, _, _), (sum_x, sum_y), count = self.index.box(node), self.index.sums_of(node), node.count
        distances = [((count * ((x - min_x) % TURN) - sum_x) ** 2 + (count * (y - min_y) - sum_y) ** 2, index)
                     for index, x, y in self.index.positions(node) if is_eligible(x, y)]
        return min(distances)[1] if distances else None

    def is_mean_inside(self, x, y):
        east = self.window.x + self.window.width
        across = self.window.x <= x <= east if east < TURN else self.window.x <= x or x <= east - TURN
        return across and self.window.min_y <= y <= self.window.max_y

    def shown_at(self, node, rule=None, keep_visible=False):
        """Returns the position at which a cluster is shown, by default the cluster's own position. Also returns the
        tree index of the member at this position, or None if it is not the position of a member."""
        member = self.nearest_member(node) if rule == "member" else None if rule else self.index.anchor(node)
        if member is None:
            x, y = self.index.mean(node)
            if not keep_visible or self.is_mean_inside(x, y):
                return (x, y), None
            member = self.nearest_member(node, self.is_inside)
        elif keep_visible and not self.is_inside(*self.index.points[2 * member:2 * member + 2]):
            nearest = self.nearest_member(node, self.is_inside)
            member = member if nearest is None else nearest
        return tuple(self.index.points[2 * member:2 * member + 2]), member

    # A limit that continues

    def continuing(self, limit, order, previous):
        fresh = self.by_limit(limit, order)
        previous = [node for node in previous if self.is_in_view(node)]
        return Continuation(self, fresh, previous, limit).answer() if fresh else []


class Entry:
    def __init__(self, node, scatter, is_previous):
        self.node, self.scatter, self.is_previous = node, scatter, is_previous
        self.below = []
        self.excess = 0.0


class Continuation:
    """Chooses the clusters of an answer that continues a previous answer, among all clusters that come into
    question."""

    def __init__(self, query, fresh, previous, limit):
        self.query, self.limit, self.fresh = query, limit, fresh
        self.bound = 1.5625 * total(query.index.scatter(node) for node in fresh)
        self.entries = []
        self.walk(previous)
        finest = {}
        for entry in reversed(self.entries):
            finest[entry] = total(finest[below] for below in entry.below) if entry.below else entry.scatter
            if entry.is_previous and entry.below:
                entry.excess = max(entry.scatter - finest[entry], 0.0)

    def walk(self, previous):
        waiting = [(self.query.index.root, previous, self.fresh, False, None)]
        while waiting:
            node, previous, fresh, is_within_fresh, above = waiting.pop()
            is_previous, is_fresh = (same(node, nodes) for nodes in (previous, fresh))
            previous, fresh = [] if is_previous else previous, [] if is_fresh else fresh
            is_within_fresh = is_within_fresh or is_fresh
            parts = []
            if previous or fresh:
                for child in self.query.index.children(node):
                    inside = [[other for other in nodes if lies_in(other, child)] for nodes in (previous, fresh)]
                    if any(inside) or is_within_fresh and self.query.is_in_view(child):
                        parts.append((child, *inside, is_within_fresh))
            if not parts or is_previous or len(parts) == 2:
                entry = Entry(node, self.query.index.scatter(node), is_previous)
                self.entries.append(entry)
                if above:
                    above.below.append(entry)
                above = entry
            waiting += [(*part, above) for part in reversed(parts)]

    def answer(self):
        plan = self.plan(math.inf)
        if self.holds(plan):
            return [entry.node for entry in plan]
        weights = [entry.excess for entry in self.entries if entry.excess > 0]
        weights += [self.bound * 2.0 ** -exponent for exponent in range(40)]
        weights = [math.inf, *sorted(weights, reverse=True), 0.0]
        low, high, best = 0, len(weights), None
        while high - low > 1:
            middle = (low + high) // 2
            plan = self.plan(weights[middle])
            if self.holds(plan):
                high, best = middle, plan
            else:
                low = middle
        return self.fresh if best is None else [entry.node for entry in best]

    def holds(self, plan):
        return total(entry.scatter for entry in plan) <= self.bound

    def plan(self, weight):
        def is_closed(entry):
            return not entry.below or entry.is_previous and (entry.excess == 0 or entry.excess < weight)

        reached, waiting = [], [self.entries[0]]
        while waiting:
            entry = waiting.pop()
            reached.append(entry)
            if not is_closed(entry):
                waiting += reversed(entry.below)
        closed = [entry for entry in reached if is_closed(entry)]
        excess = len(closed) - self.limit
        if excess <= 0:
            return closed

        def is_less(cost, other):
            if other is None:
                return True
            if weight == math.inf:
                return cost < other
            return (cost[0] * weight + cost[1], cost[0]) < (other[0] * weight + other[1], other[0])

        costs, choices, closed_below, previous_below = {}, {}, {}, {}
        for entry in reversed(reached):
            previous_below[entry] = int(entry.is_previous)
            if is_closed(entry):
                costs[entry], choices[entry], closed_below[entry] = [(0, entry.scatter)], [None], 1
                continue
            closed_below[entry] = sum(closed_below[below] for below in entry.below)
            previous_below[entry] += sum(previous_below[below] for below in entry.below)
            end = min(excess, closed_below[entry] - 1)
            best, chosen = [None] * (end + 1), [None] * (end + 1)
            left = costs[entry.below[0]]
            right = costs[entry.below[1]] if len(entry.below) == 2 else [(0, 0.0)]
            for l, left_cost in enumerate(left):
                for r, right_cost in enumerate(right):
                    if left_cost is None or right_cost is None:
                        continue
                    saved = min(l + r, end)
                    cost = left_cost[0] + right_cost[0] + int(entry.is_previous), left_cost[1] + right_cost[1]
                    if is_less(cost, best[saved]):
                        best[saved], chosen[saved] = cost, (l, r)
            if not entry.is_previous:
                cost = previous_below[entry], entry.scatter
                if is_less(cost, best[end]):
                    best[end], chosen[end] = cost, None
            costs[entry], choices[entry] = best, chosen

        plan, waiting = [], [(self.entries[0], excess)]
        while waiting:
            entry, saved = waiting.pop()
            choice = choices[entry][saved]
            if choice is None:
                plan.append(entry)
            else:
                waiting += reversed(list(zip(entry.below, choice)))
        return plan


class BadgeCurve:
    """Diameters of badges."""

    def __init__(self, section):
        self.gap, count = struct.unpack_from("<HH", section)
        self.steps = [struct.unpack_from("<IH", section, 8 + 8 * number) for number in range(count)]
        if len(section) != 8 + 8 * count:
            raise ValueError("expected a curve that fills its section")

    @property
    def width_of_dots(self):
        return 2 * self.steps[0][1] + 2 * self.gap

    def diameter(self, point_count):
        return max(units for least, units in self.steps if least <= point_count) / 64


def described(section):
    """Returns the title, the attribution and the unit of an index. Each of them is None if it is missing."""
    texts, start = [], 16
    for length in struct.unpack_from("<III", section):
        texts.append(bytes(section[start:start + length]).decode("utf-8", "replace") or None)
        start += length
    if start != len(section):
        raise ValueError("expected a description that fills its section")
    return texts


class Attribute:
    """An attribute: a column that is kept for every point, without a declared type."""

    def __init__(self, section, point_count):
        self.encoding, name_length, entry_count, _ = struct.unpack_from("<IIII", section)
        self.name = bytes(section[16:16 + name_length]).decode()
        values = section[16 + aligned(name_length):]
        if self.encoding == 1:
            self.bits = values.cast("Q")
        else:
            bounds_start = aligned(4 * point_count)
            text_start = bounds_start + 8 * (entry_count + 1)
            self.places = values[:4 * point_count].cast("I")
            self.bounds = values[bounds_start:text_start].cast("Q")
            self.text = values[text_start:]

    def value(self, index):
        """Returns the value of a point as JSON. Raises LookupError if the point does not have the column."""
        if self.encoding == 1:
            bits = self.bits[index]
            if bits == ABSENT:
                raise LookupError(self.name)
            return None if bits == NULL else struct.unpack("<d", struct.pack("<Q", bits))[0]
        place = self.places[index]
        tag, *text = self.text[self.bounds[place]:self.bounds[place + 1]]
        text = bytes(text).decode()
        if tag == 6:
            raise LookupError(self.name)
        return (None, False, True)[tag] if tag < 3 else text if tag == 4 else json.loads(text)


class Column:
    """A typed column."""

    ranks = links = search = None

    def __init__(self, section, point_count):
        self.kind, self.encoding, self.width, self.digits, self.is_dates = section[:5]
        name_length, self.entry_count, self.base = struct.unpack_from("<IIq", section, 8)
        self.name = bytes(section[24:24 + name_length]).decode()
        start = (24 + name_length + 7) // 8 * 8
        self.codes = struct.unpack_from(f"<{point_count}{'_BH_I___Q'[self.width]}", section, start)
        end = start + (self.width * point_count + 7) // 8 * 8
        if self.encoding == 3:
            self.bounds = struct.unpack_from(f"<{self.entry_count + 1}Q", section, end)
            self.text = section[end + 8 * (self.entry_count + 1):]

    def value(self, index):
        """Returns the value of a point as JSON; None if the value is missing. Raises LookupError if the point does not
        have the column."""
        code = self.codes[index]
        if self.encoding == 3:
            if code >= self.entry_count:
                return None
            tag, *text = self.text[self.bounds[code]:self.bounds[code + 1]]
            text = bytes(text).decode()
            if tag == 6:
                raise LookupError(self.name)
            return (None, False, True)[tag] if tag < 3 else text if tag == 4 else json.loads(text)
        if self.encoding == 2:
            return None if code == NULL else struct.unpack("<d", struct.pack("<Q", code))[0]
        if code == 2 ** (8 * self.width) - 1:
            return None
        integer = self.base + code
        if self.kind == 3:
            return integer != 0
        if self.kind == 1:
            return float(decimal.Decimal(integer).scaleb(-self.digits)) if self.digits else integer
        seconds, fraction = divmod(integer, 10 ** self.digits)
        day, second = divmod(seconds, 86400)
        date = (datetime.date(1970, 1, 1) + datetime.timedelta(days=day)).strftime("%Y-%m-%d").zfill(10)
        if self.is_dates:
            return date
        decimals = f".{fraction:0{self.digits}}".rstrip("0") if fraction else ""
        return f"{date}T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}{decimals}Z"


class Matrix:
    """The wavelet matrix in a section of ranks or links."""

    def __init__(self, section, point_count):
        self.column, self.level_count, value_count, self.missing_count = struct.unpack_from("<IIII", section)
        self.zeros = struct.unpack_from(f"<{self.level_count}I", section, 16)
        start = (16 + 4 * self.level_count + 31) // 32 * 32
        self.length = (point_count // 224 + 1) * 32
        self.levels = [section[start + level * self.length:][:self.length] for level in range(self.level_count)]
        self.first_indices = struct.unpack_from(f"<{value_count}I", section, start + self.level_count * self.length)

    def ones(self, level, index):
        """Returns how many bits of a level are 1, among the bits before an index."""
        block, place = divmod(index, 224)
        count, = struct.unpack_from("<I", self.levels[level], 32 * block)
        bits = int.from_bytes(self.levels[level][32 * block + 4:32 * block + 32], "little")
        return count + bin(bits & (1 << place) - 1).count("1")

    def parts(self, level, start, end):
        """Divides a range of integers at a level. Returns two ranges at the next level: the integers whose bit is 0,
        and the integers whose bit is 1."""
        start_ones, end_ones = self.ones(level, start), self.ones(level, end)
        zeros = self.zeros[level]
        return (start - start_ones, end - end_ones), (zeros + start_ones, zeros + end_ones)

    def count_below(self, bound, start, end):
        if bound >> self.level_count:
            return end - start
        count = 0
        for level in range(self.level_count):
            zeros, ones = self.parts(level, start, end)
            is_one = bound >> self.level_count - 1 - level & 1
            count += zeros[1] - zeros[0] if is_one else 0
            start, end = ones if is_one else zeros
        return count

    def at(self, place, start, end):
        """Returns the integer that would be at an index of a range if the range were sorted."""
        integer = 0
        for level in range(self.level_count):
            zeros, ones = self.parts(level, start, end)
            is_one = place >= zeros[1] - zeros[0]
            place -= zeros[1] - zeros[0] if is_one else 0
            start, end = ones if is_one else zeros
            integer = 2 * integer + is_one
        return integer


class Search:
    """The lists of a search."""

    def __init__(self, section):
        self.column, self.forms, point_count, width, beginning_count, word_count = struct.unpack_from("<6I", section)
        letter = {4: "I", 8: "Q"}[width]
        self.beginnings = struct.unpack_from(f"<{beginning_count}{letter}", section, 24)
        self.words = struct.unpack_from(f"<{word_count}{letter}", section, 24 + width * beginning_count)
        start = 24 + width * (beginning_count + word_count)
        self.points = struct.unpack_from(f"<{point_count}I", section, start)
        if len(section) != start + 4 * point_count:
            raise ValueError("a search has another length")


FOLDED_LETTERS = {"æ": "ae", "ð": "d", "đ": "d", "ø": "o", "þ": "th", "ħ": "h", "ı": "i", "ł": "l", "œ": "oe", "ŧ": "t"}


@functools.cache
def folded_form(character):
    """Returns the folded form of a character; a space if it is a separator."""
    if "\uF900" <= character <= "\uFAFF" or "\U0002F800" <= character <= "\U0002FA1F":
        return character
    if "\uFF01" <= character <= "\uFF5E":
        character = chr(ord(character) - 65248)
    form = unicodedata.normalize("NFD", character)
    for _ in range(2):
        form = unicodedata.normalize("NFD", form.casefold())
    kept = ""
    for each in form:
        category = unicodedata.category(each)
        if (unicodedata.combining(each) or category in ("Me", "Cf") or each == "\u034F" or "\uFE00" <= each <= "\uFE0F"
                or "\U000E0100" <= each <= "\U000E01EF"):
            continue
        kept += " " if category == "Cc" or category[0] in "ZP" else FOLDED_LETTERS.get(each, each)
    return kept


def folded(text):
    """Returns the words of a text: pairs of the byte at which a word begins, and the folded text from there on."""
    result, starts, place, ends_word = "", [], 0, True
    for character in text:
        for each in folded_form(character):
            if each == " ":
                ends_word = True
                continue
            if ends_word:
                result += " " if result else ""
                starts.append((place, len(result)))
                ends_word = False
            result += each
        place += len(character.encode())
    return [(place, result[start:]) for place, start in starts]


def search_lists(column, point_count):
    """Returns what the three lists of a column's search must be."""
    present, entries = [], []
    for entry in range(column.entry_count):
        start, end = column.bounds[entry:entry + 2]
        if column.text[start] == 4:
            words = folded(bytes(column.text[start + 1:end]).decode())
            entries.append([(text, start + 1 + place) for place, text in words])
    for index in range(point_count):
        code = column.codes[index]
        if code < column.entry_count and column.text[column.bounds[code]] not in (0, 6):
            present.append((code, index))
    beginnings = [words[0] for words in entries if words]
    limit = 0
    while limit < 255 and len(beginnings) + sum(min(max(len(words) - 1, 0), limit + 1) for words in entries) <= min(8 * len(present), 2**32 - 1):
        limit += 1
    words = [word for words in entries for word in words[1:1 + limit]]
    return ([place for _, place in sorted(beginnings)], [place for _, place in sorted(words)],
            [index for _, index in sorted(present)])


def percentile(column, percent, start, end):
    """Returns a percentile, as JSON, of a column with ranks over a range of points; None if the range has no value."""
    ranks = column.ranks
    count = ranks.count_below(len(ranks.first_indices), start, end)
    if count == 0:
        return None
    rank = ranks.at(max(math.ceil(percent / 100 * count), 1) - 1, start, end)
    return column.value(ranks.first_indices[rank])


def distinct(column, start, end):
    """Returns the number of distinct values of a column with links over a range of points."""
    return column.links.count_below(start + 1, start, end)


def features(index, position=None, keep_visible=None, members=False, previous=None, limit=None,
             order="breadth-first", detail=None, spacing=None, badges=None, min_points=2, alone_from_zoom=math.inf,
             **viewport):
    """Returns the nodes of an answer, and the GeoJSON properties of each. Parameters are named like the tool's
    options."""
    window, zoom = index.viewport(**viewport)
    if window is None:
        return [], []
    query = Query(index, window)
    pixels = [(cut, amount) for cut, amount in
              ((query.by_detail, detail), (query.by_spacing, spacing), (query.by_badges, badges)) if amount is not None]
    if pixels:
        (cut, amount), = pixels
        nodes = cut(amount, zoom, limit=math.inf if limit is None else limit, min_points=min_points,
                    alone_from_zoom=alone_from_zoom)
    elif previous is not None:
        nodes = query.continuing(100 if limit is None else limit, order, previous)
    else:
        nodes = query.by_limit(100 if limit is None else limit, order)
    if keep_visible is None:
        keep_visible = spacing is None and badges is None and not {"bbox", "center"}.isdisjoint(viewport)
    return nodes, [feature(query, node, position, keep_visible, members, badges) for node in nodes]


def feature(query, node, position, keep_visible, members, badges):
    index = query.index
    shown, member = query.shown_at(node, position, keep_visible)
    box = index.box(node)
    properties = {"cluster": node.count > 1, "cluster_id": index.id(node), "point_count": node.count}
    if node.count > 1 and box[:2] == box[2:]:
        properties["stack"] = True
    if badges is not None:
        properties["badge_px"] = index.badges.diameter(node.count) * badges
    if node.count > 1 and member is not None:
        properties["shown_index"] = index.rows[member]
    if node.count == 1:
        properties["index"] = index.rows[node.first]
    if members:
        properties["members"] = sorted(index.rows[node.first:node.first + node.count])
    if node.count == 1:
        taken = set(OWN_PROPERTIES)
        for attribute in index.attributes:
            try:
                value = attribute.value(node.first)
            except LookupError:
                continue
            name = attribute.name
            while unicodedata.normalize("NFC", name) in taken:
                name += "_"
            taken.add(unicodedata.normalize("NFC", name))
            properties[name] = value
    return {"bbox": index.bounds(node), "coordinates": index.coordinate(*shown), "properties": properties}


def in_tree_order(nodes):
    return sorted(nodes, key=lambda node: node.first)


def same(node, nodes):
    return any((node.first, node.count) == (other.first, other.count) for other in nodes)


def lies_in(node, other):
    return other.first <= node.first < other.first + other.count


def units_of(pixels, zoom):
    return pixels * exp2(24 - zoom) if pixels else 0.0


def least_code(distance):
    """Returns the least code whose distance is at least `distance`."""
    if distance >= TURN:
        return 56_320
    square = math.ceil(Fraction(distance) ** 2)
    exponent = max(square.bit_length() - 11, 0)
    code = 1024 * exponent + (square >> exponent)
    return code if square >> exponent << exponent == square else code + 1


def total(numbers):
    """Adds numbers from left to right, and rounds each sum. The built-in function may be more precise."""
    result = 0.0
    for number in numbers:
        result += number
    return result


def rounded(number):
    """Rounds a number to the nearest whole number. Halves are rounded away from 0."""
    whole = math.floor(abs(number))
    return int(math.copysign(whole + (abs(number) - whole >= 0.5), number))


def f32(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]


def aligned(length):
    return (length + 7) // 8 * 8


def xxh64(data):
    """Returns the XXH64 hash of bytes, with seed 0."""
    p1, p2, p3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
    p4, p5, mask = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5, (1 << 64) - 1

    def rotated(value, bits):
        return (value << bits | value >> 64 - bits) & mask

    def mixed(lane, value):
        return rotated((lane + value * p2) & mask, 31) * p1 & mask

    position = 0
    hash = p5
    if len(data) >= 32:
        lanes = [p1 + p2 & mask, p2, 0, -p1 & mask]
        while position + 32 <= len(data):
            lanes = [mixed(lane, value) for lane, value in zip(lanes, struct.unpack_from("<4Q", data, position))]
            position += 32
        hash = sum(rotated(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & mask
        for lane in lanes:
            hash = ((hash ^ mixed(0, lane)) * p1 + p4) & mask
    hash = hash + len(data) & mask
    while position + 8 <= len(data):
        hash = (rotated(hash ^ mixed(0, struct.unpack_from("<Q", data, position)[0]), 27) * p1 + p4) & mask
        position += 8
    if position + 4 <= len(data):
        hash = (rotated(hash ^ struct.unpack_from("<I", data, position)[0] * p1 & mask, 23) * p2 + p3) & mask
        position += 4
    for byte in data[position:]:
        hash = rotated(hash ^ byte * p5 & mask, 11) * p1 & mask
    hash = (hash ^ hash >> 33) * p2 & mask
    hash = (hash ^ hash >> 29) * p3 & mask
    return hash ^ hash >> 32

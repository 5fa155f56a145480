"""Reads a published index. This reader was written from PublishedPages.md, and so shows that the document suffices. It
is plain Python without any package, and compares everything that it reads with the index."""

import base64
import json
import math
import pathlib
import struct
import zlib

from index_reader import Attribute, Column, xxh64

TURN = 1 << 32
UPPER, LEAF, VALUES, DIRECTORY, SPREADS = 1, 2, 3, 4, 5
HERE, SAME, NEXT = 0, 1, 2


class Content:
    """The content of a page, read from its start to its end."""

    def __init__(self, compressed):
        self.data = zlib.decompress(compressed)
        self.at = 0

    def bytes(self, count):
        start, self.at = self.at, self.at + count
        assert self.at <= len(self.data), "the page ends too early"
        return self.data[start:self.at]

    def unpack(self, format):
        return struct.unpack(f"<{format}", self.bytes(struct.calcsize(f"<{format}")))

    def places(self, count):
        """Returns the places of pages: the checksum of the file, or None for the single file, the offset and the
        length. A place is None if there is no page."""
        file_count, = self.unpack("I")
        names = self.unpack(f"{file_count}Q")
        file_lengths = self.planes(file_count, 4)
        files, gaps, lengths = self.planes(count, 4), self.planes(count, 8), self.planes(count, 4)
        ends = [0] * max(file_count, 1)
        places = []
        for file, gap, length in zip(files, gaps, lengths):
            if length == 0:
                assert (file, gap) == (0, 0)
                places.append(None)
                continue
            offset = ends[file] + (gap >> 1 ^ -(gap & 1))
            assert not names or offset + length <= file_lengths[file]
            places.append((names[file] if names else None, offset, length))
            ends[file] = offset + length
        return places

    def planes(self, count, width):
        """Returns numbers that are stored byte by byte: first the lowest bytes of all numbers, then the next bytes of
        all numbers, and so on."""
        planes = [self.bytes(count) for _ in range(width)]
        return [sum(plane[i] << 8 * byte for byte, plane in enumerate(planes)) for i in range(count)]

    def differences(self, count):
        numbers, number = [], 0
        for code in self.planes(count, 4):
            number = (number + (code >> 1 ^ -(code & 1))) % TURN
            numbers.append(number)
        return numbers

    def align(self):
        self.bytes(-self.at % 8)

    def bits(self):
        """Returns a function that reads numbers of few bits, the lowest bit first, from the rest of the page."""
        rest, first, used = int.from_bytes(self.data[self.at:], "little"), self.at, 0

        def read(length):
            nonlocal used
            number = rest >> used & (1 << length) - 1
            used += length
            self.at = first + (used + 7) // 8
            return number

        return read

    def end(self):
        assert self.at == len(self.data), "the page is too long"


class Entry:
    """The entry of a page in a listing: the places of the page and of its spreads, and a box around its roots."""

    def __init__(self, spreads, place=None, box=None, code=0, parent_code=0):
        self.spreads, self.place, self.box, self.code, self.parent_code = spreads, place, box, code, parent_code
        self.children = []


class Site:
    """A published index, which is compared with the index itself."""

    def __init__(self, folder, index):
        self.folder, self.index = pathlib.Path(folder), index
        self.manifest = json.loads((self.folder / "manifest.json").read_bytes())
        assert (self.manifest["format"], self.manifest["version"]) == ("treelinemap pages", 3)
        self.page_count = 0
        self.files = {}

    def file(self, checksum):
        """Returns the bytes of a file of pages. The name of the file is its checksum."""
        name = self.manifest["file"] if checksum is None else f"pages/{checksum:016x}.page"
        if name not in self.files:
            data = (self.folder / name).read_bytes()
            assert f"{xxh64(data):016x}" == pathlib.Path(name).stem, "the checksum of a file disagrees"
            self.files[name] = data
        return self.files[name]

    def page(self, place):
        checksum, offset, length = place
        data = self.file(checksum)[offset:offset + length]
        assert len(data) == length, "a file is too short"
        self.page_count += 1
        return Content(data)

    def member(self, name):
        """Returns the place in a member of the manifest."""
        member = self.manifest[name]
        return int(member["file"], 16) if "file" in member else None, member["offset"], member["length"]

    def compare(self):
        """Raises AssertionError if a page differs from the index."""
        manifest, index = self.manifest, self.index
        assert manifest["point_count"] == index.point_count
        assert (manifest["projection"] == 1, manifest["seam"]) == (index.is_mercator, index.seam)
        assert (manifest["left"], manifest["top"], manifest["side"]) == (index.left, index.top, index.side)
        assert manifest["has_codes"] == (index.codes is not None)
        first = Entry(self.member("spreads") if index.codes is not None else None)
        self.upper(Content(base64.b64decode(manifest["first"])), [index.root] if index.root else [], first, {})
        self.values()

    def listing(self, content, count):
        """Returns the entries of the child pages of a page, which have the entries of their child pages."""
        outer = content.unpack("IIII")
        has_spreads = self.index.codes is not None
        places = content.places(2 * count if has_spreads else count)
        child_counts = content.planes(count, 4)
        edges = list(zip(*(content.bytes(count) for _ in range(4))))
        codes, parent_codes = content.planes(count, 2), content.planes(count, 2)
        number = 0

        def entries(parts, around):
            nonlocal number
            found = []
            for _ in range(parts):
                own, number = number, number + 1
                sizes = size_of(around)
                steps = [size // 256 + 1 for size in sizes]
                least = [edges[own][axis] * steps[axis] for axis in (0, 1)]
                greatest = [min((edges[own][axis + 2] + 1) * steps[axis] - 1, sizes[axis]) for axis in (0, 1)]
                box = [(around[edge % 2] + distance) % TURN for edge, distance in enumerate((*least, *greatest))]
                entry = Entry(places[count + own] if has_spreads else None, places[own], box, codes[own], parent_codes[own])
                entry.children = entries(child_counts[own], entry.box)
                found.append(entry)
            return found

        children = []
        while number < count:
            children += entries(1, outer)
        return children

    def upper(self, content, roots, entry, codes_above):
        """Compares an upper page and everything below. `roots` are the roots of the page, and `entry` is the entry of the
        page in a listing. `codes_above` has the codes of the parents of the roots."""
        index = self.index
        kind, root_count, count, child_count, listed, first = content.unpack("IIIIII")
        assert (kind, root_count, first) == (UPPER, len(roots), roots[0].first if roots else 0)
        around = content.unpack("IIII")
        if listed:
            assert not entry.children
            entry.children = self.listing(content, listed)
        children = entry.children
        assert len(children) == child_count
        spread_page = self.page(entry.spreads) if index.codes is not None else None
        self.roots(content, roots)
        states = content.bytes(count)
        edges = content.bytes(count)
        assert all(differs < 16 for differs in edges)
        if spread_page:
            assert spread_page.unpack("II") == (SPREADS, count)
            ellipses = list(zip(content.bytes(count), content.bytes(count)))
        spreads = list(zip(*((spread_page or content).planes(count, 4) for _ in range(3))))
        if spread_page:
            spread_page.end()
        codes = content.planes(count, 2) if index.codes is not None else None
        anchors = list(zip(*(content.planes(count, 4) for _ in range(3)))) if index.anchors is not None else None
        cells = iter(content.planes(sum(state != HERE for state in states), 8))
        bits = content.bits()
        below = [[] for _ in children]
        parent_codes = dict(codes_above)
        record = 0
        child = -1
        for root in roots:
            waiting = [(root, around, None)]
            while waiting:
                node, parent, sibling = waiting.pop()
                box = index.box(node)
                sizes = size_of(parent)
                west, north, east, south = (bits(sizes[edge % 2].bit_length()) if edges[record] >> edge & 1 else 0
                                            for edge in range(4))
                assert box == ((parent[0] + west) % TURN, (parent[1] + north) % TURN,
                               (parent[2] - east) % TURN, (parent[3] - south) % TURN)
                if sibling is None:
                    assert list(index.sums_of(node)) == [bits((node.count * size).bit_length()) for size in size_of(box)]
                else:
                    # The rule by which a reader finds the sums of a right child.
                    left, whole = sibling
                    for axis in (0, 1):
                        inside = [(index.box(part)[axis] - index.box(whole)[axis]) % TURN for part in (left, node)]
                        rest = index.sums_of(whole)[axis] - index.sums_of(left)[axis] - left.count * inside[0]
                        assert rest - node.count * inside[1] == index.sums_of(node)[axis]
                xx, xy, yy = (struct.unpack("<f", struct.pack("<I", bits))[0] for bits in spreads[record])
                assert xx + yy == index.trace(node)
                if spread_page:
                    assert ellipses[record] == rounded_ellipse(xx, xy, yy)
                parts = index.children(node)
                if codes:
                    assert codes[record] == (index.codes[parts[1].first] if parts else 0)
                if anchors:
                    anchor = index.anchor(node)
                    x, y = index.points[2 * anchor], index.points[2 * anchor + 1]
                    assert anchors[record] == (anchor - node.first, (x - box[0]) % TURN, (y - box[1]) % TURN)
                if states[record] == HERE:
                    left, right = index.children(node)
                    if codes:
                        parent_codes[left] = parent_codes[right] = codes[record]
                    assert bits(node.count.bit_length()) == left.count
                    is_across = any(west > east for west, _, east, _ in map(index.box, (left, right)))
                    waiting += [(right, box, None if is_across else (left, node)), (left, box, None)]
                else:
                    child += states[record] == NEXT
                    below[child].append(node)
                    assert next(cells) == cells_of(index, node)
                record += 1
        assert record == count
        content.end()
        for child, nodes in zip(children, below):
            # The box has all points below the roots. Distances are modulo 2^32, because a box may lie across the seam.
            for node in nodes:
                for i in range(node.first, node.first + node.count):
                    for axis in (0, 1):
                        assert (index.points[2 * i + axis] - child.box[axis]) % TURN <= size_of(child.box)[axis]
            parts = [index.children(node) for node in nodes]
            greatest = max(index.codes[pair[1].first] if pair else 0 for pair in parts) if index.codes is not None else 0
            assert child.code == greatest
            assert child.parent_code == (min(parent_codes.get(node, 0) for node in nodes) if codes else 0)
            page = self.page(child.place)
            if page.data[0] == LEAF:
                assert child.children == [] and child.spreads is None
                self.leaf(page, nodes)
            else:
                self.upper(page, nodes, child, parent_codes)

    def roots(self, content, roots):
        assert content.planes(len(roots), 4) == [root.count for root in roots]
        assert content.planes(len(roots), 2) == [root.level for root in roots]

    def leaf(self, content, roots):
        index = self.index
        kind, root_count, count, pair_count, first = content.unpack("IIIII")
        assert (kind, root_count, first) == (LEAF, len(roots), roots[0].first)
        self.roots(content, roots)
        lefts = iter(content.planes(pair_count, 4))
        for root in roots:
            waiting = [root]
            while waiting:
                node = waiting.pop()
                if index.left_record(node) is not None:
                    left, right = index.children(node)
                    assert next(lefts) == left.count
                    waiting += [right, left]
        assert next(lefts, None) is None
        indices = range(first, first + count)
        assert content.differences(count) == [index.points[2 * i] for i in indices]
        assert content.differences(count) == [index.points[2 * i + 1] for i in indices]
        gaps = content.bytes((count + 1) // 2)
        for root in roots:
            for i in range(root.first, root.first + root.count):
                gap = index.gaps[i // 2] >> 4 * (i % 2) & 15
                expected = 0 if i == root.first + root.count - 1 else gap if gap == 15 else gap - root.depth
                assert gaps[(i - first) // 2] >> 4 * ((i - first) % 2) & 15 == expected
        if index.codes is not None:
            assert content.planes(count, 2) == [index.codes[i] for i in indices]
        if index.anchors is not None:
            bits = content.bytes((count + 7) // 8)
            assert all(bits[i // 8] >> i % 8 & 1 == index.anchors[(first + i) // 8] >> (first + i) % 8 & 1
                       for i in range(count))
        content.end()

    def values(self):
        directory = self.page(self.member("values"))
        kind, count, size = directory.unpack("III")
        assert kind == DIRECTORY and count == -(-self.index.point_count // size)
        places = directory.places(count)
        directory.end()
        for number, place in enumerate(places):
            self.value_page(self.page(place), number * size, min(size, self.index.point_count - number * size))

    def value_page(self, content, first, count):
        index = self.index
        assert content.unpack("II") == (VALUES, count)
        width, column_count = content.unpack("II")
        assert content.planes(count, width) == list(index.rows[first:first + count])
        content.align()
        assert column_count == len(index.attributes)
        for column in index.attributes:
            kind, length = content.unpack("II")
            section = memoryview(content.bytes(length))
            content.align()
            own = (Attribute if kind == 16 else Column)(section, count)
            assert own.name == column.name
            assert all(value(own, i) == value(column, first + i) for i in range(count))
        content.end()


def cells_of(index, node):
    """Returns the bits of the cells that contain points of a node."""
    box = index.box(node)
    steps = [size // 8 + 1 for size in size_of(box)]
    cells = 0
    for i in range(node.first, node.first + node.count):
        column, row = ((index.points[2 * i + axis] - box[axis]) % TURN // steps[axis] for axis in (0, 1))
        cells |= 1 << 8 * row + column
    return cells


def size_of(box):
    return [(box[axis + 2] - box[axis]) % TURN for axis in (0, 1)]


def rounded_ellipse(xx, xy, yy):
    mean = (xx + yy) / 2
    if mean <= 0:
        return 0, 0
    radius = math.sqrt((xx - yy) / 2 * ((xx - yy) / 2) + xy * xy)
    square = (mean + radius) * max(mean - radius, (mean + radius) / 16)
    bits, = struct.unpack("<I", struct.pack("<f", square))
    along, across = (min(max(int((part / mean + 1) * 7.5 + 0.5), 0), 15) for part in ((xx - yy) / 2, xy))
    return min(max((bits >> 22) - 253, 1), 255), along | across << 4


def value(column, index):
    """Returns the value of a point, or its absence, as a text that can be compared."""
    try:
        return repr(column.value(index))
    except LookupError:
        return "absent"

"""Builds indexes of Parquet files with any number of rows."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ._arrays import AnyArray, required
from ._columns import InputColumn, input_columns
from ._coordinates import left_out, may_be_degrees, remedy
from ._errors import BuildError
from ._geometry import PointColumns
from ._parameters import text
from ._sources import Source, parquet_files, partition_types
from ._tree import Tree
from ._tree import open as open_index

#: Maximum number of rows in memory, apart from the row group that is being read.
_BATCH = 1 << 16


@dataclass(frozen=True)
class Refused:
    """A row that is not in the index, because its coordinates are invalid."""

    #: Row number in the input, from 0.
    row: int
    #: The coordinates that were found; NaN for a missing coordinate.
    x: float
    y: float


@dataclass
class Built:
    """The result of a build."""

    path: str
    #: Number of points in the index.
    point_count: int = 0
    #: Number of points beyond Web Mercator's latitudes that were moved to its edge.
    clipped_count: int = 0
    #: Number of rows that are not in the index, and the first of these rows.
    refused_count: int = 0
    refused: list[Refused] = field(default_factory=list)

    def open(self) -> Tree:
        return open_index(self.path)

    def warn(self) -> None:
        """Warns of rows that are not in the index."""
        if self.refused_count:
            first = self.refused[0]
            text = left_out(self.refused_count, self.path, first.row, first.x, first.y)
            warnings.warn(text, stacklevel=3)


#: Maximum number of refused rows that a result lists.
MOST_LISTED = 100


def build_parquet(
    source: Any,
    *,
    out: Any,
    lon: str | None = None,
    lat: str | None = None,
    geometry: str | None = None,
    columns: Iterable[str] = (),
    kinds: Mapping[str, str] | None = None,
    row: str | None = None,
    skip_invalid: bool = False,
    planar: bool | None = None,
    split: str | None = None,
    separations: bool = True,
    memory: str | int | None = None,
    scratch: Any = None,
    threads: int | None = None,
    title: str | None = None,
    attribution: str | None = None,
    unit: str | None = None,
    overwrite: bool = False,
    refused: Any = None,
    progress: Callable[[str, float], None] | None = None,
) -> Built:
    """Builds the index of Parquet or GeoParquet files, which may have more rows than fit in memory.

    The index has the same bytes as the index that `treelinemap build` builds from the rows of all files one after another,
    with the same columns in the same order. Needs pyarrow. KeyboardInterrupt stops the build, which then
    leaves no files.

    :param source: A file, a folder of Parquet files as written by Spark, a pattern such as `places/*.parquet`, or a
        list of these. Files of a folder or a pattern are ordered by name. A folder may be partitioned: `year=2024` in
        a path is a column `year` of all rows below.
    :param out: Path of the index. The file appears complete or not at all.
    :param lon: Column of longitudes or x, with `lat` for latitudes or y.
    :param geometry: Column of points instead of `lon` and `lat`, as WKB or in GeoArrow format. By default it is the
        primary column of GeoParquet; otherwise longitudes and latitudes are found by the names of their columns.
    :param columns: Names of the columns for filters and aggregates, in the order in which the index will have them.
    :param kinds: Kinds of values by column name, as in `build`.
    :param row: Column with a unique number for each row, from 0 to 2^53. By default rows are numbered in order.
    :param skip_invalid: Whether to leave out rows with invalid coordinates, with a warning that counts them. The other
        rows keep their numbers. Otherwise the first such row is an error, as in `build`.
    :param planar: Whether coordinates are plain x and y. By default they are degrees, unless the columns are found by
        names of a plane, as in `build`.
    :param split: `least-scatter` or `mean`.
    :param separations: Whether the index supports cuts with `spacing` and `badges`. Without separations, it is built
        faster.
    :param memory: Approximate memory of the build in addition to pyarrow's, such as `2GB`; by default 60 % of the free
        memory.
    :param scratch: Folder for temporary files of 22 bytes per point; by default next to the index.
    :param overwrite: Whether to replace a file that is not an index.
    :param refused: Path of a Parquet file that receives the rows with invalid coordinates: `row`, `x` and `y`. Needs
        `skip_invalid=True`.
    :param progress: Called with the current stage and its completed share, from 0 to 1.
    :raises Error: With the message of the library.
    """
    required("pyarrow")
    from . import _steps

    if refused is not None and not skip_invalid:
        raise ValueError("expected skip_invalid=True with refused=, which receives the rows that are left out")
    files = parquet_files(source)
    schemas, counts = zip(*(_described(file.path) for file in files))
    schema, total = schemas[0], sum(counts)
    built = Built(os.fspath(out))
    told = _steps.description(title, attribution, unit)
    names = [columns] if isinstance(columns, str) else list(columns)
    if unknown := [name for name in kinds or {} if name not in names]:
        raise KeyError(f"expected kinds only for the columns {names}, found a kind for {unknown[0]!r}")
    points = PointColumns(schema, lon, lat, geometry, planar)
    planar = points.is_planar
    options = text(
        split=split, memory=byte_count(memory), scratch=None if scratch is None else os.fspath(scratch),
        threads=threads, planar=planar or None, no_separation=None if separations else True,
        rows=None if row is None else True,
    )  # fmt: skip
    reader = _Reader(files, points, names, kinds or {}, row)
    if points.note:
        warnings.warn(points.note, stacklevel=2)
    for file, found_schema in zip(files, schemas):
        reader.check(file, found_schema.names)
    declared = reader.columns(schema.empty_table(), files[0])
    with _steps.Stream(built.path, options, declared, told, overwrite) as stream:
        with Listing(built, refused) as listing:
            done = 0
            for file, batch in reader.batches():
                x, y = points.read(batch, done)
                rows = reader.rows(batch, done)
                invalid = stream.add(x, y, rows, reader.columns(batch, file))
                places = np.flatnonzero(invalid)
                found = done + places if rows is None else rows[places]
                if len(places) and not skip_invalid:
                    raise BuildError(
                        f"{file.path}, row {found[0]}: expected coordinates on the {'plane' if planar else 'Earth'}, "
                        f"found {x[places[0]]}, {y[places[0]]}; {remedy(x, y, invalid, planar)}"
                    )
                listing.add(found, x[places], y[places])
                done += len(batch)
                if progress is not None:
                    progress("reading", done / max(total, 1))
        stream.finish(progress)
    tree = built.open()
    built.point_count, built.clipped_count = len(tree), tree.clipped_point_count
    if points.is_planar_by_name and len(tree) and (note := may_be_degrees(tuple(points.names), tree.bounds)):
        warnings.warn(note, stacklevel=2)
    built.warn()
    return built


class Listing:
    """Lists rows with invalid coordinates: the first rows in a result, and all rows in a file."""

    def __init__(self, built: Built, path: Any) -> None:
        self._built, self._path, self._writer = built, path, None

    def __enter__(self) -> Listing:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._schema = pa.schema([("row", pa.int64()), ("x", pa.float64()), ("y", pa.float64())])
        if self._path is not None:
            self._writer = pq.ParquetWriter(self._path, self._schema)
        return self

    def __exit__(self, *_: Any) -> None:
        if self._writer is not None:
            self._writer.close()

    def add(self, rows: AnyArray, x: AnyArray, y: AnyArray) -> None:
        """Lists rows, in their order."""
        import pyarrow as pa

        if len(rows) == 0:
            return
        self._built.refused_count += len(rows)
        room = MOST_LISTED - len(self._built.refused)
        self._built.refused += map(Refused, rows[:room].tolist(), x[:room].tolist(), y[:room].tolist())
        if self._writer is not None:
            self._writer.write_table(pa.table([rows, x, y], schema=self._schema))


class _Reader:
    """Reads files in batches."""

    def __init__(
        self, files: list[Source], points: PointColumns, columns: list[str], kinds: Mapping[str, str], row: str | None
    ) -> None:
        self._files, self.points, self._columns, self._kinds, self._row = files, points, columns, kinds, row
        self._types = partition_types(files)

    @property
    def _names(self) -> list[str]:
        return list(dict.fromkeys([*self.points.names, *self._columns, *([] if self._row is None else [self._row])]))

    def check(self, file: Source, names: list[str]) -> None:
        """Checks that a file has all required columns. Reading batches would not report a missing column."""
        for name in self._names:
            if names.count(name) > 1:
                raise ValueError(f"{file.path}: expected one column named {name!r}, found {names.count(name)}")
            if name not in names and (name not in file.partitions or name not in self._columns):
                there = ", ".join(map(repr, [*names, *file.partitions]))
                raise KeyError(f"{file.path}: expected the name of a column, found {name!r}; there are {there}")

    def batches(self) -> Iterator[tuple[Source, Any]]:
        import pyarrow.parquet as pq

        for source in self._files:
            with pq.ParquetFile(source.path) as file:
                for batch in file.iter_batches(batch_size=_BATCH, columns=self._names):
                    yield source, batch

    def columns(self, batch: Any, file: Source) -> list[InputColumn]:
        """Returns the columns of a batch, including the columns that are given by the names of the file's folders."""
        there = batch.schema.names
        of_folders = {
            name: file.column(name, self._types[name], len(batch)) for name in self._columns if name not in there
        }
        own = {name: batch.column(name) for name in self._columns if name in there}
        return input_columns({**own, **of_folders}, self._columns, self._kinds, len(batch))

    def rows(self, batch: Any, first_row: int) -> AnyArray | None:
        """Returns the row numbers of a batch; None if no column has them.

        :param first_row: Row of the batch's first entry, for errors.
        """
        import pyarrow as pa

        if self._row is None:
            return None
        column = batch.column(self._row)
        if not pa.types.is_integer(column.type):
            raise TypeError(f"column {self._row!r}: expected integers for row numbers, found {column.type}")
        if column.null_count:
            missing = first_row + column.is_null().to_numpy(zero_copy_only=False).tolist().index(True)
            raise ValueError(f"column {self._row!r}, row {missing}: expected the number of a row, found none")
        found: AnyArray = column.cast(pa.int64()).to_numpy(zero_copy_only=False)
        return np.ascontiguousarray(found)


def _described(file: str) -> tuple[Any, int]:
    """Returns the schema of a file, and its number of rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_metadata(file)
    except pa.ArrowInvalid as error:
        raise ValueError(f"{file}: {error}") from None
    return metadata.schema.to_arrow_schema(), metadata.num_rows


def byte_count(size: str | int | None) -> int:
    """Reads a number of bytes from a text such as `2GB`."""
    if size is None:
        return max(_free() // 10 * 6, 1 << 20)
    if isinstance(size, int):
        return size
    words = size.lower().replace(" ", "")
    digits = words.rstrip("kmgtib")
    units = {"": 1, "b": 1}
    for power, letter in enumerate("kmgt", 1):
        units |= {letter: 1000**power, f"{letter}b": 1000**power, f"{letter}ib": 1024**power}
    try:
        return int(float(digits) * units[words[len(digits) :]])
    except (KeyError, ValueError):
        raise ValueError(f"expected a number of bytes such as 2GB, found {size!r}") from None


def _free() -> int:
    """Returns the free memory, which no other program uses. If the system does not report it, returns all memory."""
    everything = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        with open("/proc/meminfo") as file:
            lines = dict(line.split(":") for line in file)
        return int(lines["MemAvailable"].split()[0]) << 10
    except (OSError, KeyError):
        return everything

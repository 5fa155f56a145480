"""Indexes of Parquet files, however many rows they have."""

from __future__ import annotations

import glob
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ._columns import InputColumn, input_columns
from ._files import open as open_index
from ._geometry import PointColumns
from ._parameters import text
from ._table import AnyArray, required
from ._tree import Tree

#: How many rows are in memory at once, as far as they are not in the row group that is read.
_BATCH = 1 << 16


@dataclass(frozen=True)
class Refused:
    """A row that is not in the index, since its coordinates are on no map."""

    #: Its number in the input, from 0.
    row: int
    #: What was found; NaN for a missing coordinate.
    x: float
    y: float


@dataclass
class Built:
    """What came of a build."""

    path: str
    #: How many points the index has.
    point_count: int = 0
    #: How many points beyond Web Mercator's latitudes were moved to its edge.
    clipped_count: int = 0
    #: How many rows are not in it, and the first of them.
    refused_count: int = 0
    refused: list[Refused] = field(default_factory=list)

    def open(self) -> Tree:
        return open_index(self.path)

    def warn(self) -> None:
        """Tells of rows that are not in the index."""
        if self.refused_count:
            first = self.refused[0]
            warnings.warn(
                f"{self.refused_count} rows are not in {self.path}, as their coordinates are on no map; "
                f"the first is row {first.row}: {first.x}, {first.y}",
                stacklevel=3,
            )


#: How many refused rows a result lists.
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
    planar: bool = False,
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
    """Builds the index of Parquet or GeoParquet files, of more rows than fit the memory if need be.

    It is, byte for byte, the index that `treeline build --skip-invalid` makes of the same rows, those of all files, one
    after another, with the same columns in the same order. Needs pyarrow. KeyboardInterrupt stops it, and
    leaves nothing.

    :param source: A file, a folder of Parquet files as Spark writes it, a pattern such as `places/*.parquet`, or a list
        of these. Files of a folder or a pattern are taken by their names.
    :param out: The path of the index, which appears whole or not at all.
    :param lon: The column of longitudes, or of x, and `lat` that of latitudes; or
    :param geometry: that of points, as WKB or as GeoArrow has them. If none is told, it is the primary one of
        GeoParquet, or columns that are called longitude and latitude.
    :param columns: The names of those that can be filtered and summed, in the order in which the index is to have them.
    :param kinds: By names of columns what values are taken for, as of `build`.
    :param row: The column with the number of each row, from 0 to 2^53, which no two share; they are numbered in order
        unless told.
    :param planar: Whether coordinates are plain x and y.
    :param split: `least-scatter` or `mean`.
    :param separations: Whether a spacing or badges can be asked for; without, it is built sooner.
    :param memory: About what the build may take beside what pyarrow does, such as `2GB`; 60 % of what is free unless
        told.
    :param scratch: The folder for what does not fit: 22 bytes a point. Beside the index unless told.
    :param overwrite: Whether to replace a file that is no index.
    :param refused: The path of a Parquet file that gets the rows whose coordinates are on no map: `row`, `x` and `y`.
    :param progress: Called with what is done and how much of it, from 0 to 1.
    :raises Error: In the words of the library.
    """
    required("pyarrow")
    from . import _steps

    files = parquet_files(source)
    schemas, counts = zip(*map(_described, files))
    schema, total = schemas[0], sum(counts)
    options = text(
        split=split, memory=byte_count(memory), scratch=None if scratch is None else os.fspath(scratch),
        threads=threads, planar=planar or None, no_separation=None if separations else True,
        rows=None if row is None else True,
    )  # fmt: skip
    built = Built(os.fspath(out))
    told = _steps.description(title, attribution, unit)
    names = [columns] if isinstance(columns, str) else list(columns)
    if unknown := [name for name in kinds or {} if name not in names]:
        raise KeyError(f"expected kinds of the columns {names}, found one of {unknown[0]!r}")
    reader = _Reader(files, PointColumns(schema, lon, lat, geometry, planar), names, kinds or {}, row)
    for file, found_schema in zip(files, schemas):
        reader.check(file, found_schema.names)
    with _steps.Stream(built.path, options, reader.columns(schema.empty_table()), told, overwrite) as stream:
        with Listing(built, refused) as listing:
            done = 0
            for batch in reader.batches():
                x, y = reader.points.read(batch, done)
                rows = reader.rows(batch, done)
                places = np.flatnonzero(stream.add(x, y, rows, reader.columns(batch)))
                found = done + places if rows is None else rows[places]
                listing.add(found, x[places], y[places])
                done += len(batch)
                if progress is not None:
                    progress("reading", done / max(total, 1))
        stream.finish(progress)
    tree = built.open()
    built.point_count, built.clipped_count = len(tree), tree.clipped_point_count
    built.warn()
    return built


class Listing:
    """The rows that are on no map: the first in a result, all in a file."""

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
    """What is read of files."""

    def __init__(
        self, files: list[str], points: PointColumns, columns: list[str], kinds: Mapping[str, str], row: str | None
    ) -> None:
        self._files, self.points, self._columns, self._kinds, self._row = files, points, columns, kinds, row

    @property
    def _names(self) -> list[str]:
        return list(dict.fromkeys([*self.points.names, *self._columns, *([] if self._row is None else [self._row])]))

    def check(self, file: str, names: list[str]) -> None:
        """Whether a file has all columns that are read; of one that it lacks, batches would say nothing."""
        for name in self._names:
            if names.count(name) > 1:
                raise ValueError(f"{file}: expected one column of the name {name!r}, found {names.count(name)}")
            if name not in names:
                there = ", ".join(map(repr, names))
                raise KeyError(f"{file}: expected the name of a column, found {name!r}; there are {there}")

    def batches(self) -> Iterator[Any]:
        import pyarrow.parquet as pq

        for path in self._files:
            with pq.ParquetFile(path) as file:
                yield from file.iter_batches(batch_size=_BATCH, columns=self._names)

    def columns(self, batch: Any) -> list[InputColumn]:
        return input_columns(batch, self._columns, self._kinds, len(batch)) if self._columns else []

    def rows(self, batch: Any, first_row: int) -> AnyArray | None:
        """The numbers of a batch's rows; None where they are not given.

        :param first_row: That of the batch, for errors.
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


def parquet_files(source: Any) -> list[str]:
    """The files that a source names, in order."""
    if not isinstance(source, (str, os.PathLike)) and isinstance(source, Iterable):
        if files := [file for part in source for file in parquet_files(part)]:
            return files
        raise FileNotFoundError("expected Parquet files, found none")
    path = os.fspath(source)
    if os.path.isdir(path):
        # What begins so is no data: _SUCCESS, _metadata, hidden checksums.
        names = sorted(name for name in os.listdir(path) if name.endswith(".parquet") and name[0] not in "._")
        found = [os.path.join(path, name) for name in names]
    else:
        found = [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True))
    if not found:
        raise FileNotFoundError(f"{path}: expected Parquet files, found none")
    return found


def _described(file: str) -> tuple[Any, int]:
    """The schema of a file, and how many rows it has."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_metadata(file)
    except pa.ArrowInvalid as error:
        raise ValueError(f"{file}: {error}") from None
    return metadata.schema.to_arrow_schema(), metadata.num_rows


def byte_count(size: str | int | None) -> int:
    """A number of bytes as people write it."""
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
    """How much memory could be had without taking any from other programs; all where the system does not tell."""
    everything = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        with open("/proc/meminfo") as file:
            lines = dict(line.split(":") for line in file)
        return int(lines["MemAvailable"].split()[0]) << 10
    except (OSError, KeyError):
        return everything

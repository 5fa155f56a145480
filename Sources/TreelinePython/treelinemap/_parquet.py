"""Builds indexes of Parquet files. The files may have any number of rows."""

from __future__ import annotations

import contextlib
import os
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from . import _arrow as arrow
from ._arrays import AnyArray, required
from ._columns import input_columns
from ._coordinates import left_out, may_be_degrees, remedy
from ._errors import BuildError, Error
from ._exact import WholeNumbers
from ._geometry import PointColumns
from ._input_column import InputColumn
from ._parameters import text
from ._sources import Source, parquet_files, partition_types
from ._tree import Tree
from ._tree import open as open_index

#: Greatest number of rows in memory, in addition to the row group that is being read.
_BATCH = 1 << 16


@dataclass(frozen=True)
class Refused:
    """A row that is left out of the index because its coordinates are invalid."""

    #: Row number in the input, from 0; None if a column of row numbers has no number for this row.
    row: int | None
    #: The coordinates that were found; NaN for a missing coordinate.
    x: float
    y: float


@dataclass
class Built:
    """The result of a build."""

    path: str
    #: Number of points in the index.
    point_count: int = 0
    #: Number of points beyond Web Mercator's greatest latitude, which were moved to this latitude.
    clipped_count: int = 0
    #: Number of rows that were left out of the index, and the first of these rows.
    refused_count: int = 0
    refused: list[Refused] = field(default_factory=list)

    def open(self) -> Tree:
        return open_index(self.path)

    def warn(self) -> None:
        """Warns if rows were left out of the index."""
        if self.refused_count:
            first = self.refused[0]
            text = left_out(self.refused_count, self.path, first.row, first.x, first.y)
            warnings.warn(text, stacklevel=3)


#: Greatest number of rows that are left out and that a result lists.
MOST_LISTED = 100
#: Greatest row number. Doubles hold all integers up to this number exactly.
LAST_ROW = 1 << 53
#: The row number of a row that has none.
NO_ROW = -(1 << 63)


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
    supporting: Literal["limit", "spacing", "badges"] | None = None,
    split: str | None = None,
    badge_gap: float | None = None,
    anchor: Literal["mean", "member"] | None = None,
    memory: str | int | None = None,
    scratch: Any = None,
    threads: int | None = None,
    title: str | None = None,
    attribution: str | None = None,
    unit: str | None = None,
    overwrite: bool = False,
    allow_loss: bool = False,
    refused: Any = None,
    progress: Callable[[str, float], None] | None = None,
) -> Built:
    """Builds the index of Parquet or GeoParquet files, which may have more rows than fit in memory.

    `treelinemap build` builds an index with the same bytes from the rows of all files in their order, with the same
    columns in the same order. Needs pyarrow. KeyboardInterrupt stops the build. A stopped build leaves no files.

    :param source: A file, a folder of Parquet files such as Spark writes, a pattern such as `places/*.parquet`, or a
        list of these. The files of a folder or a pattern are read in the order of their names. A folder may be
        partitioned. For example, all rows in a folder `year=2024` have the value 2024 in a column `year`.
    :param out: Path of the index. The file appears complete or not at all.
    :param lon: Column of longitudes or x. `lat` names the column of latitudes or y.
    :param geometry: Column of points as WKB or in GeoArrow format, which is used instead of `lon` and `lat`. By default
        the primary column of GeoParquet. Without a primary column, the names of columns decide which columns have
        longitudes and latitudes.
    :param columns: Names of the columns for filters and aggregates. The index has its columns in this order.
    :param kinds: Kinds of values by column name, as in `build`.
    :param row: Column with a unique number for each row, from 0 to 2^53. By default rows are numbered in order.
    :param skip_invalid: Whether to leave out rows with invalid coordinates, with a warning that counts these rows. The
        other rows keep their numbers. By default the first such row is an error, as in `build`.
    :param planar: Whether coordinates are plain x and y. By default coordinates are degrees. But if the columns are
        found by names such as `x` and `y`, coordinates are plain, as in `build`.
    :param supporting: What queries will ask for: a `limit` (the default), a `spacing` or `badges`, as in `build`.
    :param split: `least-scatter` or `mean`.
    :param badge_gap: Gap between badges, in pixels. `anchor` says where clusters are shown. Both as in `build`.
    :param memory: Approximate memory for the build, such as `2GB`. The build also needs memory for pyarrow. By default
        60 % of the free memory.
    :param scratch: Folder for temporary files, by default next to the index. They are used if the points need more
        than `memory`, and take 22 bytes per point, or 110 if the index supports a `spacing` or `badges`.
    :param overwrite: Whether an existing file at `out` that is not an index may be replaced.
    :param allow_loss: Whether to replace an existing index that has points even if no row has a position, or if fewer
        rows have a position than are left out. By default this is an error, and the existing index is kept.
    :param refused: Path of a Parquet file to write with the rows that are left out: `row`, `x` and `y`. Needs
        `skip_invalid=True`.
    :param progress: Called with the current stage and its completed share, from 0 to 1.
    :raises Error: If the library reports an error.
    """
    required("pyarrow")
    from . import _steps

    if refused is not None and not skip_invalid:
        raise ValueError("refused= lists the rows that skip_invalid=True leaves out, so use both parameters together")
    files = parquet_files(source)
    if os.path.exists(out) and any(os.path.samefile(out, file.path) for file in files):
        raise ValueError(f"out={os.fspath(out)}: expected another path than the paths of the input")
    schemas, counts = zip(*(_described(file.path) for file in files))
    schema, total = schemas[0], sum(counts)
    built = Built(os.fspath(out))
    told = _steps.description(title, attribution, unit)
    names = [columns] if isinstance(columns, str) else list(columns)
    if unknown := [name for name in kinds or {} if name not in names]:
        raise KeyError(f"kinds= names {unknown[0]!r}, which is not one of the columns {names}")
    points = PointColumns(schema, lon, lat, geometry, planar)
    planar = points.is_planar
    options = text(
        **{"for": supporting}, split=split, badge_gap=badge_gap, anchor=anchor, memory=byte_count(memory),
        scratch=None if scratch is None else os.fspath(scratch), threads=threads, planar=planar or None,
        rows=None if row is None else True,
    )  # fmt: skip
    reader = _Reader(files, points, names, kinds or {}, row)
    if points.note:
        warnings.warn(f"{points.note}; confirm or swap these columns with lon= and lat=", stacklevel=2)
    for file, found_schema in zip(files, schemas):
        reader.check(file, found_schema.names)
        if len(points.names) == 1:
            try:
                PointColumns(found_schema, None, None, points.names[0], planar)
            except ValueError as error:
                raise ValueError(f"{file.path}: {error}") from None
    declared = reader.columns(schema.empty_table(), files[0], np.empty(0, "<i8"))
    with _naming(row), _steps.Stream(built.path, options, declared, told, overwrite) as stream:
        with Listing(built, refused, (file.path for file in files)) as listing:
            done = 0
            for file, batch in reader.batches():
                rows = reader.rows(batch, done)
                x, y = points.read(batch, rows)
                if (bad := (rows < 0) | (rows > LAST_ROW)).any():
                    # A row that is left out needs no row number.
                    if skip_invalid:
                        bad &= ~_steps.Survey(planar).add(x, y)
                    if bad.any():
                        value = batch.column(row)[int(bad.argmax())].as_py()
                        raise ValueError(
                            f"column {row!r}, row {done + bad.argmax()}: expected a row number from 0 to 2^53, "
                            f"found {'a missing value' if value is None else value}"
                        )
                invalid = stream.add(x, y, rows, reader.columns(batch, file, rows))
                places = np.flatnonzero(invalid)
                if len(places) and not skip_invalid:
                    expected = (
                        "an x and a y from -1e300 to 1e300"
                        if planar
                        else "a longitude from -180 to 180 and a latitude from -90 to 90"
                    )
                    raise BuildError(
                        f"{file.path}, row {rows[places[0]]}: expected {expected}, "
                        f"found {x[places[0]]}, {y[places[0]]}; {remedy(x, y, invalid, planar)}"
                    )
                listing.add(rows[places], x[places], y[places])
                done += len(batch)
                if progress is not None:
                    progress("reading", done / max(total, 1))
            if not allow_loss:
                refuse_loss(built, done - built.refused_count)
            stream.finish(progress)
    reader.whole.warn(stacklevel=2)
    tree = built.open()
    built.point_count, built.clipped_count = len(tree), tree.clipped_point_count
    if points.is_planar_by_name and len(tree) and (note := may_be_degrees(tuple(points.names), tree.bounds)):
        warnings.warn(note, stacklevel=2)
    built.warn()
    return built


def refuse_loss(built: Built, count: int) -> None:
    """Refuses to replace an index that has points if the input is bad, as `treelinemap build` does.

    :param built: The path of the index, and the number of rows that are left out.
    :param count: Number of rows with a position.
    """
    if count > 0 and count >= built.refused_count:
        return
    try:
        old = len(built.open())
    except (Error, OSError):
        # No index can be lost.
        return
    if old > 0:
        raise BuildError(
            f"{built.path}: only {count} of {count + built.refused_count} rows have a position; the existing index of "
            f"{old} points was kept; allow_loss=True replaces it"
        )


class Listing:
    """Lists the rows that are left out. A result lists the first of these rows, and a file lists all of them. The file
    appears at the end of the context, unless there is an error."""

    def __init__(self, built: Built, path: Any, sources: Iterable[str] = ()) -> None:
        self._built, self._path, self._writer = built, None if path is None else os.path.realpath(path), None
        if self._path is not None and self._path in map(os.path.realpath, (built.path, *sources)):
            raise ValueError(f"refused={path}: expected another path than the paths of the index and the input")

    def __enter__(self) -> Listing:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._schema = pa.schema([("row", pa.int64()), ("x", pa.float64()), ("y", pa.float64())])
        if self._path is not None:
            if os.path.exists(self._path) and not os.path.isfile(self._path):
                raise ValueError(f"{self._path}: expected a regular file or no file for refused=, found something else")
            folder, name = os.path.split(self._path)
            self._partial = os.path.join(folder, f".{name}.{uuid.uuid4().hex}.partial")
            self._writer = pq.ParquetWriter(self._partial, self._schema)
        return self

    def __exit__(self, error: Any, *_: Any) -> None:
        if self._writer is None:
            return
        try:
            self._writer.close()
            if error is None:
                os.replace(self._partial, self._path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.remove(self._partial)

    def add(self, rows: AnyArray, x: AnyArray, y: AnyArray) -> None:
        """Lists rows in the given order."""
        import pyarrow as pa

        if len(rows) == 0:
            return
        self._built.refused_count += len(rows)
        room = MOST_LISTED - len(self._built.refused)
        numbers = pa.array(rows, mask=rows == NO_ROW)
        self._built.refused += map(Refused, numbers[:room].to_pylist(), x[:room].tolist(), y[:room].tolist())
        if self._writer is not None:
            self._writer.write_table(pa.table([numbers, x, y], schema=self._schema))


@contextlib.contextmanager
def _naming(row: str | None) -> Iterator[None]:
    """Adds the name of the column of row numbers to errors about these numbers."""
    try:
        yield
    except BuildError as error:
        if row is None or "row number" not in str(error):
            raise
        raise BuildError(f"column {row!r}: {error}") from None


class _Reader:
    """Reads files in batches."""

    def __init__(
        self, files: list[Source], points: PointColumns, columns: list[str], kinds: Mapping[str, str], row: str | None
    ) -> None:
        self._files, self.points, self._columns, self._kinds, self._row = files, points, columns, kinds, row
        self._types = partition_types(files)
        self.whole = WholeNumbers()

    @property
    def _names(self) -> list[str]:
        return list(dict.fromkeys([*self.points.names, *self._columns, *([] if self._row is None else [self._row])]))

    def check(self, file: Source, names: list[str]) -> None:
        """Checks that a file has all required columns. Without this check, no error would report a missing column."""
        for name in self._names:
            if names.count(name) > 1:
                raise ValueError(f"{file.path}: expected one column named {name!r}, found {names.count(name)}")
            if name not in names and (name not in file.partitions or name not in self._columns):
                there = ", ".join(map(repr, [*names, *file.partitions]))
                raise KeyError(f"{file.path}: there is no column {name!r}; columns: {there}")

    def batches(self) -> Iterator[tuple[Source, Any]]:
        import pyarrow.parquet as pq

        for source in self._files:
            with pq.ParquetFile(source.path) as file:
                for batch in file.iter_batches(batch_size=_BATCH, columns=self._names):
                    yield source, batch

    def columns(self, batch: Any, file: Source, rows: AnyArray) -> list[InputColumn]:
        """Returns the columns of a batch. Adds the columns whose values are in the names of the file's folders."""
        there = batch.schema.names
        of_folders = {
            name: file.column(name, self._types[name], len(batch)) for name in self._columns if name not in there
        }
        # A struct must not be read as a table.
        own = arrow.table(batch.select([name for name in dict.fromkeys(self._columns) if name in there]))
        made = input_columns({**own, **of_folders}, self._columns, self._kinds, len(batch), rows)
        for column in made:
            self.whole.add(column, rows)
        return made

    def rows(self, batch: Any, first_row: int) -> AnyArray:
        """Returns the row numbers of a batch; `NO_ROW` for a missing number.

        :param first_row: Row number of the batch's first row, if no column has row numbers.
        """
        import pyarrow as pa

        if self._row is None:
            return np.arange(first_row, first_row + len(batch))
        column = batch.column(self._row)
        if not pa.types.is_integer(column.type):
            raise TypeError(f"column {self._row!r}: expected integers for row numbers, found {column.type}")
        # Numbers from 2^63 on become negative, so they are invalid, too.
        found: AnyArray = column.cast(pa.int64(), safe=False).fill_null(NO_ROW).to_numpy(zero_copy_only=False)
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
    if not isinstance(size, str):
        try:
            if (count := int(size)) == size:
                return count
        except (TypeError, ValueError, OverflowError):
            pass
        raise TypeError(_refused_size(size))
    words = size.lower().replace(" ", "")
    digits = words.rstrip("kmgtib")
    units = {"": 1, "b": 1}
    for power, letter in enumerate("kmgt", 1):
        units |= {letter: 1000**power, f"{letter}b": 1000**power, f"{letter}ib": 1024**power}
    try:
        unit = units[words[len(digits) :]]
        if digits.isdigit():
            return int(digits) * unit
        amount = float(digits) * unit
        if unit == 1 and not amount.is_integer():
            raise ValueError
        return int(amount)
    except (KeyError, ValueError, OverflowError):
        raise ValueError(_refused_size(size)) from None


def _refused_size(size: Any) -> str:
    return f"expected memory= to be a number of bytes, such as 2000000000 or '2GB', found {size!r}"


def _free() -> int:
    """Returns the memory that no program uses. If the system does not report it, returns all memory."""
    everything = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        with open("/proc/meminfo") as file:
            lines = dict(line.split(":") for line in file)
        return int(lines["MemAvailable"].split()[0]) << 10
    except (OSError, KeyError):
        return everything

"""Finds Parquet files. Also finds the values that the names of folders give to all rows of a file."""

from __future__ import annotations

import glob
import os
import pathlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

#: This text in the name of a folder means that the rows in the folder have no value.
_NULL = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class Source:
    """A file, and the values that the names of its folders give to all rows of the file."""

    path: str
    #: Value of each column; None for a missing value.
    partitions: dict[str, str | None] = field(default_factory=dict)

    def column(self, name: str, type: Any, count: int) -> Any:
        """Returns a column in which each row has the value from the name of a folder."""
        import pyarrow as pa

        value = self.partitions[name]
        if value is None:
            return pa.nulls(count, type)
        return pa.repeat(pa.scalar(int(value) if pa.types.is_integer(type) else value, type), count)


def partition_types(files: list[Source]) -> dict[str, Any]:
    """Returns the type of each column whose values are in names of folders: integers if all values are integers,
    otherwise texts."""
    import pyarrow as pa

    values: dict[str, set[str]] = {}
    for file in files:
        for name, value in file.partitions.items():
            values.setdefault(name, set()).update(() if value is None else (value,))
    are_whole = {
        name: all(re.fullmatch("0|-?[1-9][0-9]{0,17}", value) for value in them) for name, them in values.items()
    }
    return {name: pa.int64() if is_whole and values[name] else pa.string() for name, is_whole in are_whole.items()}


def parquet_files(source: Any) -> list[Source]:
    """Returns the files of a source, in order."""
    if not isinstance(source, (str, os.PathLike)) and isinstance(source, Iterable):
        if files := [file for part in source for file in parquet_files(part)]:
            return files
        raise FileNotFoundError("expected Parquet files, found none")
    path = os.fspath(source)
    found = [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True))
    files = [Source(file, _partitions(file)) for start in found for file in _files_in(start)]
    if not files:
        raise FileNotFoundError(f"{path}: expected Parquet files, found none")
    return files


def _files_in(start: str) -> Iterator[str]:
    """Yields a file, or all Parquet files in a folder and its subfolders, ordered by name."""
    if not os.path.isdir(start):
        yield start
        return
    for name in sorted(os.listdir(start)):
        path = os.path.join(start, name)
        # Files whose names begin with `_` or `.` are not data. Examples are _SUCCESS, _metadata and hidden checksums.
        if name[0] not in "._" and (name.endswith(".parquet") or os.path.isdir(path)):
            yield from _files_in(path)


def _partitions(path: str) -> dict[str, str | None]:
    """Returns the columns and values in names of folders such as `year=2024`."""
    pairs = (part.split("=", 1) for part in pathlib.PurePath(path).parts[:-1] if part.find("=") > 0)
    return {unquote(name): None if value == _NULL else unquote(value) for name, value in pairs}

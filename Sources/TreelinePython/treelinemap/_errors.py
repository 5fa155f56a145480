"""Exceptions for errors of the library. The messages of the exceptions are the library's messages."""

from __future__ import annotations


class Error(Exception):
    """Any error of the library."""


class ArgumentError(Error, ValueError):
    """An argument that has the right type but is invalid, such as answers of two different trees."""


class ParameterError(Error, ValueError):
    """A parameter of a query or an option of a build that is unknown, missing or out of range, or that conflicts with
    another parameter."""


class QueryError(Error, ValueError):
    """A query that this tree cannot answer."""


class FilterError(Error, ValueError):
    """A text that is not a valid filter, or a filter on a column that the tree does not have."""


class AggregateError(Error, ValueError):
    """A text that is not a valid list of aggregates, or an aggregate that its column does not support."""


class BuildError(Error, ValueError):
    """Points from which no tree can be built."""


class ColumnError(Error, ValueError):
    """Values that do not suit their column."""


class IndexFileError(Error, OSError):
    """A file that is not an index, or is damaged."""


class WritingError(Error, OSError):
    """An index that could not be written."""


class PiecesError(Error, ValueError):
    """Data of a build in pieces (bytes or files) that is damaged, or that no step of the build has written."""


class EditError(Error, ValueError):
    """An edit that is not possible on this tree, such as an edit with a key that does not exist."""


class PageError(Error, ValueError):
    """A tree that cannot be written as a page, such as a tree with groups."""


class CancelledError(Error):
    """A build that was cancelled."""


#: The exception for each number of `treeline_error_kind`.
BY_KIND: dict[int, type[Error]] = {
    1: ArgumentError,
    2: ParameterError,
    3: QueryError,
    4: FilterError,
    5: AggregateError,
    6: BuildError,
    7: ColumnError,
    8: IndexFileError,
    9: WritingError,
    10: CancelledError,
    11: PiecesError,
    12: EditError,
    13: PageError,
}

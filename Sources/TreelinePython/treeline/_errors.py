"""What the library reports, in its words."""

from __future__ import annotations


class Error(Exception):
    """Whatever the library reports."""


class ArgumentError(Error, ValueError):
    """An argument that no value of its type should be, such as answers of two trees."""


class ParameterError(Error, ValueError):
    """A parameter of a query or an option of a build that is unknown, missing, out of range, or excluded by another."""


class QueryError(Error, ValueError):
    """A query that this tree has no answer to."""


class FilterError(Error, ValueError):
    """A text that is no filter, or a filter of columns that the tree lacks."""


class AggregateError(Error, ValueError):
    """A text that is no list of aggregates, or one of columns that have none such."""


class BuildError(Error, ValueError):
    """Points from which no tree can be built."""


class ColumnError(Error, ValueError):
    """Values that do not suit their column."""


class IndexFileError(Error, OSError):
    """A file that is no index, or a damaged one."""


class WritingError(Error, OSError):
    """An index that could not be written."""


class PiecesError(Error, ValueError):
    """Bytes or pieces of a build in pieces that none of its steps wrote, or that were damaged since."""


class CancelledError(Error):
    """A build that was cancelled."""


#: By the numbers of `treeline_error_kind`.
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
}

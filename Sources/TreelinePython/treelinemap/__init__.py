"""Groups points on a map into clusters that follow the density of the points, in microseconds.

The package takes arrays and returns arrays.

>>> import numpy as np, treelinemap
>>> random = np.random.default_rng(1)
>>> tree = treelinemap.build(random.uniform(2, 3, 1000), random.uniform(48, 49, 1000))
>>> shown = tree.clusters(zoom=6, limit=5)
>>> int(shown.count.sum())
1000
"""

from ._answer import Cluster, Clusters, Transition
from ._build import build
from ._errors import (
    AggregateError,
    ArgumentError,
    BuildError,
    ColumnError,
    EditError,
    Error,
    FilterError,
    IndexFileError,
    PageError,
    ParameterError,
    PiecesError,
    QueryError,
    WritingError,
)
from ._parquet import Built, Refused, build_parquet
from ._table import Table
from ._tree import Tree, open, verify
from ._version import version as __version__

__all__ = [
    "AggregateError",
    "ArgumentError",
    "BuildError",
    "Built",
    "Cluster",
    "Clusters",
    "ColumnError",
    "EditError",
    "Error",
    "FilterError",
    "IndexFileError",
    "PageError",
    "ParameterError",
    "PiecesError",
    "QueryError",
    "Refused",
    "Table",
    "Transition",
    "Tree",
    "WritingError",
    "__version__",
    "build",
    "build_parquet",
    "open",
    "verify",
]

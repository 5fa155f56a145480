"""How many cases random and exhaustive tests try. TREELINE_TRIALS is `fast`, `full` (the default) or `thorough`."""

import os

_LEVELS = ("fast", "full", "thorough")


def trials(count: int) -> int:
    """Returns the number of cases to try, given the number in a full run. A fast run tries a tenth of them, at least 1,
    and a thorough run tries ten times as many."""
    return {"fast": max(1, count // 10), "full": count, "thorough": 10 * count}[_level()]


def are_fast() -> bool:
    return _level() == "fast"


def _level() -> str:
    level = os.environ.get("TREELINE_TRIALS") or "full"
    if level not in _LEVELS:
        raise ValueError(f"expected TREELINE_TRIALS to be {', '.join(_LEVELS[:-1])} or {_LEVELS[-1]}, found {level!r}")
    return level

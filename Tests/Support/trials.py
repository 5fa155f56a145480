"""Number of cases that random and exhaustive tests try: TREELINE_TRIALS is `fast`, `full` (the default) or
`thorough`."""

import os

_LEVELS = ("fast", "full", "thorough")


def trials(count: int) -> int:
    """Returns a tenth of a count, at least 1, the count itself, or ten times the count."""
    level = os.environ.get("TREELINE_TRIALS") or "full"
    if level not in _LEVELS:
        raise ValueError(f"expected TREELINE_TRIALS to be {', '.join(_LEVELS[:-1])} or {_LEVELS[-1]}, found {level!r}")
    return {"fast": max(1, count // 10), "full": count, "thorough": 10 * count}[level]

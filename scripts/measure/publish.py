"""Puts the table and the picture of a run where readers find them."""

import re
import shutil

PAGE = "Sources/Treeline/Treeline.docc/Measurements.md"
PICTURE = "Sources/Treeline/Treeline.docc/growth.png"
MARKS = "<!-- From here on written by scripts/bench --publish -->", "<!-- To here -->"


def publish(table, picture, is_whole):
    """A run of some parts leaves the sections of the page that it has not measured as they are."""
    with open(PAGE) as file:
        text = file.read()
    between = re.compile(f"(?<={re.escape(MARKS[0])}\n).*(?={re.escape(MARKS[1])})", re.DOTALL)
    new, places = between.subn(lambda old: f"\n{(table if is_whole else merged(old[0], table)).strip()}\n\n", text)
    if places != 1:
        raise SystemExit(f"{PAGE}: expected one place between '{MARKS[0]}' and '{MARKS[1]}', found {places}")
    with open(PAGE, "w") as file:
        file.write(new)
    if picture:
        shutil.copyfile(picture, PICTURE)


def merged(old, new):
    """A table with the sections of another in place of its own of the same titles, and behind them all that it has
    not."""
    def sections(table):
        return {part.split("\n", 1)[0]: part.strip() for part in re.split(r"(?m)^(?=## )", table.strip())}

    # Only whole runs say above all sections where they were measured.
    _, *parts = sections(new).items()
    return "\n\n".join((sections(old) | dict(parts)).values())

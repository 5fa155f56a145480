"""Puts the table and the picture of a run into the documentation."""

import re
import shutil

PAGE = "Sources/Treeline/Treeline.docc/Measurements.md"
PICTURE = "Sources/Treeline/Treeline.docc/growth.png"
MARKS = "<!-- From here on written by scripts/bench --publish -->", "<!-- To here -->"


def publish(table, picture, is_whole):
    """Writes the table into the page and copies the picture. After a run of only some parts, the other sections of the
    page stay unchanged."""
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
    """Returns the old table, with each section replaced by the new section of the same title. Other new sections
    follow at the end."""
    def sections(table):
        return {part.split("\n", 1)[0]: part.strip() for part in re.split(r"(?m)^(?=## )", table.strip())}

    # Skips the text above the first section, which describes the machine: only a run of all parts may change it.
    _, *parts = sections(new).items()
    return "\n\n".join((sections(old) | dict(parts)).values())

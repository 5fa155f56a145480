"""Puts the table and the picture of a run where readers find them."""

import re
import shutil

PAGE = "Sources/Treeline/Treeline.docc/Measurements.md"
PICTURE = "Sources/Treeline/Treeline.docc/growth.png"
MARKS = "<!-- From here on written by scripts/bench --publish -->", "<!-- To here -->"


def publish(table, picture):
    with open(PAGE) as file:
        text = file.read()
    between = re.compile(f"(?<={re.escape(MARKS[0])}\n).*(?={re.escape(MARKS[1])})", re.DOTALL)
    new, places = between.subn(lambda _: f"\n{table}\n", text)
    if places != 1:
        raise SystemExit(f"{PAGE}: expected one place between '{MARKS[0]}' and '{MARKS[1]}', found {places}")
    with open(PAGE, "w") as file:
        file.write(new)
    if picture:
        shutil.copyfile(picture, PICTURE)

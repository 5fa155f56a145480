"""Compares the table *How to add* of CONTRIBUTING.md with the sources. Finds the files in which a kind is spelled out, by
the newest members of the kind, and fails if the row of the kind does not name such a file. Also fails if a row names a
file that does not exist, or more files than allowed."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
#: Greatest number of files in a row.
MOST = 6
#: For each row, members of the kind, each with its spellings. A file that spells out all of them decides something for
#: each member.
KINDS = {
    "a cut by pixels": ("detail", "spacing", "badges"),
    "an order in which a limit expands nodes": ("steepestFirst|steepest-first|steepest",),
    "a split rule": ("mean", "leastScatter|least-scatter", "gamma"),
    "a metric of merging": ("merge:distance|merge", "badges|merge:badges", "scatter|merge:scatter"),
    "a condition of filters": ("between|BETWEEN", "isMissing|isNull|NULL"),
    "an aggregate": ("median", "percentile", "distinct", "top"),
    "an output format": ("geojsonl",),
    "a section of the index": ("wideRows|WIDE_ROWS",),
    "a section of a column, for faster answers": ("percentiles|ranks|RANKS", "distinct|links|LINKS", "search|SEARCH"),
    "a property of clusters in the output": ("ellipse_meters",),
    "a function of the C interface": ("treeline_map_page",),
    "a route": ("where-is",),
}
#: A member as a case, as a quoted name, as a key or in a list.
SPELLED = r"(?:(?:[.\"'`/]|case [^\n]*\b)(?:{0})\b|(?<![\w-])(?:{0})(?:\(|[\"'`]?(?::|,| \}})))"
LANGUAGES = {".swift", ".js", ".py", ".h", ".json"}


def main():
    rows, faults = table(), []
    texts = {name: code(ROOT / name) for name in files() if pathlib.Path(name).suffix in LANGUAGES}
    for kind, members in KINDS.items():
        patterns = [re.compile(SPELLED.format(member)) for member in members]
        for name, text in texts.items():
            if all(pattern.search(text) for pattern in patterns) and not is_named(name, rows[kind]):
                faults.append(f"'{kind}' does not name {name}, which has {' and '.join(members)}")
    known = {pathlib.Path(name).name for name in files("Sources", "Tests", "Fixtures", "scripts")}
    for kind, row in rows.items():
        named = {name for name in re.findall(r"`([^`]+)`", row) if re.search(r"\.(?:swift|js|py|h|json|md)$", name)}
        faults += [f"'{kind}' names {name}, which does not exist" for name in sorted(named) if name.split("/")[-1] not in known]
        if len(named) > MOST:
            faults.append(f"'{kind}' names {len(named)} files, expected at most {MOST}")
    if faults:
        sys.exit("\n".join(f"CONTRIBUTING.md: {fault}" for fault in faults))
    print(f"{len(KINDS)} lists of CONTRIBUTING.md name every file that spells out a kind")


def table():
    """Returns the second cell of each row of *How to add*, by the first cell."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    section = text[text.index("## How to add"):]
    section = section[:section.index("\n## ", 1)]
    cells = [line.strip("| ").split(" | ", 1) for line in section.splitlines() if line.startswith("| ")]
    return {first.split(" (")[0]: second for first, second in cells[1:]}


def files(*folders):
    command = ["git", "ls-files", *(folders or ("Sources",))]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [name for name in names if "/Benchmarks/" not in name and (ROOT / name).is_file()]


def is_named(name, row):
    return f"`{pathlib.Path(name).name}`" in row or f"/{pathlib.Path(name).name}`" in row


def code(path):
    """Returns the text of a file without its comments."""
    text = path.read_text("utf8", "replace")
    if path.suffix == ".py":
        return re.sub(r"#.*", "", re.sub(r'""".*?"""', "", text, flags=re.DOTALL))
    return re.sub(r"^\s*(?://|/?\*).*$| // .*$", "", text, flags=re.MULTILINE)


if __name__ == "__main__":
    main()

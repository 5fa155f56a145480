"""Lists the public symbols without documentation in the symbol graphs of a folder, and public symbols that are
deprecated or begin with an underscore. Fails if there are any, or if the module Treeline has more than 450 public symbols."""

import glob
import json
import sys

# Symbols that extend other modules have graphs of their own, such as `Treeline@Swift`.
MOST = 450

missing = set()
internal = set()
found = set()
paths = glob.glob(f"{sys.argv[1]}/**/Treeline*.symbols.json", recursive=True)
paths += glob.glob(f"{sys.argv[1]}/**/GridBaseline*.symbols.json", recursive=True)
if not paths:
    sys.exit(f"coverage: found no symbol graphs in {sys.argv[1]}")
for path in paths:
    with open(path, encoding="utf-8") as file:
        symbols = json.load(file)["symbols"]
    for symbol in symbols:
        if path.endswith("/Treeline.symbols.json") and "SYNTHESIZED" not in symbol["identifier"]["precise"]:
            found.add(symbol["identifier"]["precise"])
        names = symbol["pathComponents"]
        if symbol.get("availability") or any(name.startswith("_") for name in names):
            internal.add(".".join(names))
        # Skips synthesized symbols, such as requirements of a protocol, which the protocol documents. Extensions are
        # skipped below: only their members need documentation.
        if symbol.get("docComment") or "SYNTHESIZED" in symbol["identifier"]["precise"]:
            continue
        if symbol["accessLevel"] == "public" and symbol["kind"]["identifier"] != "swift.extension":
            place = symbol.get("location", {})
            file = place.get("uri", "").split("/Sources/")[-1]
            missing.add(f"Sources/{file}:{place.get('position', {}).get('line', 0) + 1}: {'.'.join(symbol['pathComponents'])}")
print(*sorted(missing), sep="\n", end="\n" if missing else "")
if len(found) > MOST:
    sys.exit(f"coverage: Treeline has {len(found)} public symbols, expected at most {MOST}; make some package or @_spi(Server)")
if internal:
    sys.exit(f"coverage: expected no deprecated or underscored public symbols, found {', '.join(sorted(internal))}")
sys.exit(f"coverage: {len(missing)} public symbols without documentation" if missing else 0)

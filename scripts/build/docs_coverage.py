"""Lists the public symbols without documentation in the symbol graphs of a folder; fails if there are any."""

import glob
import json
import sys

missing = set()
paths = glob.glob(f"{sys.argv[1]}/**/Treeline*.symbols.json", recursive=True)
paths += glob.glob(f"{sys.argv[1]}/**/GridBaseline*.symbols.json", recursive=True)
if not paths:
    sys.exit(f"coverage: found no symbol graphs in {sys.argv[1]}")
for path in paths:
    with open(path, encoding="utf-8") as file:
        symbols = json.load(file)["symbols"]
    for symbol in symbols:
        # Skips synthesized symbols, such as requirements of a protocol, which the protocol documents. Extensions are
        # skipped below: only their members need documentation.
        if symbol.get("docComment") or "SYNTHESIZED" in symbol["identifier"]["precise"]:
            continue
        if symbol["accessLevel"] == "public" and symbol["kind"]["identifier"] != "swift.extension":
            place = symbol.get("location", {})
            file = place.get("uri", "").split("/Sources/")[-1]
            missing.add(f"Sources/{file}:{place.get('position', {}).get('line', 0) + 1}: {'.'.join(symbol['pathComponents'])}")
print(*sorted(missing), sep="\n", end="\n" if missing else "")
sys.exit(f"coverage: {len(missing)} public symbols without documentation" if missing else 0)

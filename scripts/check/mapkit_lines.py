"""Prints how many lines of code for Apple's platforms are compiled and run here, given the coverage that swift test
exports.

The code for Apple's platforms has never run on a Mac. Here it is compiled against stubs of Apple's frameworks, and runs
on these stubs.
"""

import glob
import json
import os
import re
import sys

SOURCES = ["Sources/TreelineMapKit", "Sources/TreelineMapLibre", "Sources/HotelsExample/App"]
FILES = sorted(path for folder in SOURCES for path in glob.glob(f"{folder}/**/*.swift", recursive=True))
FILES = [path for path in FILES if not path.endswith("Package.swift")] + [
    "Sources/Treeline/Viewport/Coordinate+CoreLocation.swift"]
# Conditions that hold with the stubs. Lines under any other condition would be compiled only on other platforms.
HOLDS = re.compile(
    r"^#if ((canImport\((MapKit|UIKit|AppKit|SwiftUI|CoreLocation|MapLibre)\)|!targetEnvironment\(macCatalyst\)|!os\(tvOS\))"
    r"( && )?)+$")
# An attribute that Linux does not have, without any other code.
ATTRIBUTE = re.compile(r"#if canImport\(ObjectiveC\)\n *@objc\n *#endif\n")


def main():
    with open(sys.argv[1]) as file:
        measured = {os.path.realpath(f["filename"]): f for f in json.load(file)["data"][0]["files"]}
    total = unrun = 0
    for path in FILES:
        with open(path, encoding="utf-8") as file:
            lines = ATTRIBUTE.sub("", file.read()).split("\n")
        code = sum(bool(line.strip()) and not line.strip().startswith("//") for line in lines)
        others = sum(not HOLDS.match(line.strip()) for line in lines if re.match(r"^\s*#(if|elseif|else)\b", line))
        if others:
            sys.exit(f"{path}: expected only conditions that hold with the stubs, found {others} others: count their lines")
        coverage = measured.get(os.path.realpath(path))
        missed = coverage["summary"]["lines"]["count"] - coverage["summary"]["lines"]["covered"] if coverage else 0
        total, unrun = total + code, unrun + missed
        if missed:
            print(f"{path}: {missed} of {code} lines are run by no test")
    stubs = sum(
        bool(line.strip()) and not line.strip().startswith("//")
        for path in glob.glob("Tests/AppleStubs/Stubs/**/*.swift", recursive=True) for line in open(path, encoding="utf-8"))
    print(
        f"For Apple's platforms: {total} lines of code in {len(FILES)} files. Compiled here, against {stubs} lines of stubs: all. "
        f"Run by no test here: {unrun}. Run on a Mac: none yet.")


main()

"""Counts turns of phrase that make readers stop, in comments, messages and Markdown: scripts/check/prose.py [-v]

Fails if there are more than LIMIT hits in a thousand lines; -v lists the hits. A hit can be good English, and a
sentence without a hit can be bad. The count only keeps a habit from returning.
"""

import collections
import pathlib
import re
import subprocess
import sys

# Maximum number of hits in a thousand lines, a little above the present number, which should not rise.
LIMIT = 1.4

# Pattern of each phrase, by the advice what to write instead.
PHRASES = {
    "name the thing instead of 'that of', 'those of'": r"\b(that|those) of\b",
    "split the sentence at 'of which', 'of whom'": r"\bof (which|whom)\b",
    "name the number instead of 'so many'": r"\bso many\b",
    "say 'is not a …' or 'invalid' instead of 'what is no …'": r"\bwhat (is|are|has|have) no\b",
    "say 'separate', 'alone', 'on its own' instead of 'by itself'": r"\bby (itself|themselves)\b",
    "code returns, prints, reports; it does not tell": r"\b(tells?|told)\b",
    "drop the person: 'whom', 'nobody', 'whoever'": r"\b(whom|nobody|whoever)\b",
    "say 'like X' instead of 'as X has it'": r"\bas [^.,;]{1,30} (has|have) (it|them)\b",
    "say 'except' instead of 'but'": r"\b(all|nothing|none|any) but\b|\bbut for\b",
    "say 'depends on', 'is ordered by' instead of 'goes by'": r"\bgo(es)? by\b",
    "say what is the same: 'The same' opens a sentence": r"(^|[.:] )The same\b",
    "name it instead of 'of either', 'of neither'": r"\bof n?either\b",
    "say 'must' or 'will' instead of 'is to be'": r"\b(is|are|was|were) to be\b|\bto be had\b",
    "say 'instead of'": r"\bin place of\b",
    "say 'again'": r"\banew\b",
    "say where, with its noun": r"\b(thereof|therein|whereupon|whereof)\b",
    "name what 'it that', 'those that' stand for": r"\b(it|they|those) that\b",
}

# Lines of comments by suffix. In other lines of code, strings of four words and more are messages.
COMMENTS = {
    ".swift": r"^\s*///?\s?(.*)$", ".js": r"^\s*(?://|\*|/\*)\s?(.*)$", ".mjs": r"^\s*(?://|\*|/\*)\s?(.*)$",
    ".c": r"^\s*(?://|/?\*)\s?(.*)$", ".h": r"^\s*(?://|/?\*)\s?(.*)$", ".py": r'^\s*(?:#|""")\s?(.*)$',
    ".md": r"^(?!\s*```|\|)(.*)$",
}
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
ROOT = pathlib.Path(__file__).resolve().parents[2]
# Files that are not checked: this file, which contains the phrases, and pages that a program writes.
LEFT_OUT = ("scripts/check/prose.py", "Sources/Treeline/Treeline.docc/Measurements.md")


def main():
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
    hits, lines = collections.defaultdict(list), 0
    for name in names.stdout.splitlines():
        path = ROOT / name
        if path.suffix not in COMMENTS or name in LEFT_OUT or name.startswith(("Tests/", "Fixtures/")) or not path.exists():
            continue
        for number, text in prose(path):
            lines += 1
            for advice, pattern in PHRASES.items():
                hits[advice] += [f"{name}:{number}: {text.strip()}" for _ in re.finditer(pattern, text)]
    found = sum(map(len, hits.values()))
    if "-v" in sys.argv:
        for advice, places in sorted(hits.items(), key=lambda item: -len(item[1])):
            print(f"{len(places)} × {advice}", *places, sep="\n  ")
    print(f"{found} phrases to avoid in {lines} lines of prose: {1000 * found / lines:.1f} in a thousand, of {LIMIT} at most")
    if found > LIMIT * lines / 1000:
        sys.exit("scripts/check/prose.py: too many; -v lists them")


def prose(path):
    """Yields the line number and the text of each line of prose in a file."""
    fenced = False
    for number, line in enumerate(path.read_text("utf8", "replace").splitlines(), 1):
        if path.suffix == ".md" and line.lstrip().startswith("```"):
            fenced = not fenced
        match = None if fenced else re.match(COMMENTS[path.suffix], line)
        text = match[1] if match else ""
        if not match and path.suffix != ".md":
            text = " ".join(string for string in STRING.findall(line) if string.count(" ") >= 3)
        if text.strip():
            yield number, text


main()

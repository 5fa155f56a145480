#!/usr/bin/env python3
"""Writes Sources/Treeline/Search/FoldTable.swift, the folded forms of characters for the search.

usage: scripts/build/search_fold.py

The page IndexFormat.md defines the folded forms, with the data of Unicode 14.0, which Python 3.11 contains.
"""

import pathlib
import sys
import unicodedata

UNICODE = "14.0.0"
# Letters that Unicode does not decompose, although people also write them without their stroke, or as two letters.
LETTERS = {"æ": "ae", "ð": "d", "ø": "o", "þ": "th", "đ": "d", "ħ": "h", "ı": "i", "ł": "l", "œ": "oe", "ŧ": "t"}
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-"


def folded(character):
    """Returns the folded form of a character: "" if it is left out, and a space if it separates words."""
    code = ord(character)
    if 0xF900 <= code <= 0xFAFF or 0x2F800 <= code <= 0x2FA1F:
        return character
    text = chr(code - 0xFEE0) if 0xFF01 <= code <= 0xFF5E else character
    text = unicodedata.normalize("NFD", text)
    for _ in range(2):
        text = unicodedata.normalize("NFD", text.casefold())
    return "".join(map(part, text))


def part(character):
    category = unicodedata.category(character)
    code = ord(character)
    if unicodedata.combining(character) or category in ("Me", "Cf"):
        return ""
    if code == 0x34F or 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF:
        return ""
    if category[0] in "ZP" or category == "Cc":
        return " "
    return LETTERS.get(character, character)


def runs():
    """Returns the characters that do not fold to themselves as runs: first character, number, step, and folded form.

    The folded form of a run is a text, or the distance from each character to its form. Hangul syllables are left out.
    """
    found = []
    for code in range(0x110000):
        if 0xD800 <= code < 0xE000 or 0xAC00 <= code < 0xAC00 + 11172:
            continue
        form = folded(chr(code))
        if form == chr(code):
            continue
        assert " " not in form or form == " ", code
        key = ord(form) - code if len(form) == 1 and form != " " else form
        if found:
            first, count, step, last_key = found[-1]
            gap = code - (first + (count - 1) * step)
            if key == last_key and (gap == step if count > 1 else gap <= 2):
                found[-1] = (first, count + 1, gap, key)
                continue
        found.append((code, 1, 1, key))
    return found


def number(value):
    """Returns a number in digits of five bits, the lowest first. 32 is added to each digit except the last one."""
    digits = ""
    while value >= 32:
        digits += DIGITS[32 + value % 32]
        value //= 32
    return digits + DIGITS[value]


def table():
    text = ""
    end = 0
    for first, count, step, form in runs():
        text += number(first - end) + number(2 * (count - 1) + step - 1)
        if isinstance(form, int):
            text += number(2) + number(2 * form if form >= 0 else -2 * form - 1)
        elif form in ("", " "):
            text += number(len(form))
        else:
            text += number(1 + len(form)) + "".join(number(ord(each)) for each in form)
        end = first + (count - 1) * step + 1
    return text


def main():
    if unicodedata.unidata_version != UNICODE:
        sys.exit(f"search_fold.py: expected a Python with Unicode {UNICODE}, found {unicodedata.unidata_version}")
    text = table()
    width = 114
    lines = [f'    "{text[start:start + width]}"' for start in range(0, len(text), width)]
    path = pathlib.Path(__file__).parents[2] / "Sources/Treeline/Search/FoldTable.swift"
    path.write_text(
        "extension TextFold {\n"
        f"  /// The folded forms of all characters that do not fold to themselves, in Unicode {UNICODE[:4]}.\n"
        "  /// `scripts/build/search_fold.py` writes this table.\n"
        "  static let table: [StaticString] = [\n" + ",\n".join(lines) + ",\n  ]\n}\n"
    )


if __name__ == "__main__":
    main()

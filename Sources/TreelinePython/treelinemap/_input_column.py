"""A column of values in the form that the library reads."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _library as c
from ._arrays import AnyArray
from ._exact import DecimalFacts, WholeNumbers


class InputColumn:
    """A column in the form that the library reads. The column keeps alive the objects that own its memory."""

    def __init__(self, name: str, kind: str | None, type: int, values: AnyArray | None = None, **others: Any) -> None:
        """
        :param values: Values of the width that `type` needs. Their stride in memory is arbitrary.
        :param others: `valid`, an array of booleans; `decimals`, facts about the numbers if they are decimals; and
            `offsets`, `bytes`, `entry_count` and `units_per_second`, with the meaning that they have in
            `treeline_column`. If decimals are longer than doubles, they are texts, with the kind `number`.
        """
        if values is not None and len(values) > 1 and values.strides[0] == 0:
            # All entries are one value in memory. But for the library, a stride of 0 means entries without gaps.
            values = np.ascontiguousarray(values)
        self.name, self.kind, self.type, self.others = name, kind, type, others
        self.values: Any = values
        self.valid = valid = others.pop("valid", None)
        self.decimals: DecimalFacts | None = others.pop("decimals", None)
        self._kept: list[Any] = [c.encoded(name), c.encoded_if_any(kind), values]
        self.column = c.Column(name=self._kept[0], kind=self._kept[1], type=type)
        if values is not None:
            self.column.values = values.ctypes.data
            # numpy gives an array of one entry an arbitrary stride.
            self.column.stride = values.strides[0] if len(values) > 1 else 0
        if valid is not None and not valid.all():
            self.column.validity = self._address(np.packbits(valid, bitorder="little"))
        for field, value in others.items():
            setattr(self.column, field, self._address(value) if isinstance(value, np.ndarray) else value)

    def _address(self, array: AnyArray) -> int:
        self._kept.append(array)
        # numpy may give an empty array no memory, but the library needs an address.
        return array.ctypes.data if array.size else np.zeros(1, np.int64).ctypes.data

    def __len__(self) -> int:
        return len(self.others["offsets"]) - 1 if self.values is None else len(self.values)

    # Edits

    def taking(self, order: AnyArray, new: InputColumn | None = None) -> InputColumn:
        """Returns a column with copies of some values.

        :param order: Index of each value of the result. Indices from `len(self)` on are for values of `new`.
        :param new: A second column.
        """
        if new is None or not len(new):
            return self._taking(order)
        if not self.has_values.any():
            return new._missing(len(self))._joined(new)._taking(order)
        if not new.has_values.any():
            return self._joined(self._missing(len(new)))._taking(order)
        return self._joined(new)._taking(order)

    @property
    def noun(self) -> str:
        """Name of the kind of values, for messages."""
        return _NOUNS[self.type if self.decimals is None else c.DOUBLES]

    @property
    def has_values(self) -> AnyArray:
        """Whether each row has a value."""
        present: AnyArray = np.ones(len(self), bool) if self.valid is None else np.array(self.valid, bool)
        if self.type == c.DOUBLES:
            present &= ~np.isnan(self.values)
        if self.type == c.CODES:
            present &= self.values >= 0
        if self.type == c.INSTANTS:
            present &= self.values != _NO_TIME
        return present

    def _missing(self, count: int) -> InputColumn:
        """Returns a column of this type in which all values are missing."""
        others = {**self.others, "valid": np.zeros(count, bool), "decimals": self.decimals}
        if self.type == c.TEXTS:
            return InputColumn(self.name, self.kind, c.TEXTS, **{**others, "offsets": np.zeros(count + 1, "<i8")})
        return InputColumn(self.name, self.kind, self.type, np.zeros(count, self.values.dtype), **others)

    def _taking(self, order: AnyArray) -> InputColumn:
        valid = None if self.valid is None else self.valid[order]
        others = {**self.others, "valid": valid, "decimals": self.decimals}
        if self.values is not None:
            return InputColumn(self.name, self.kind, self.type, self.values[order], **others)
        starts, lengths = self.others["offsets"][:-1][order], np.diff(self.others["offsets"])[order]
        offsets = np.zeros(len(order) + 1, "<i8")
        np.cumsum(lengths, out=offsets[1:])
        places = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
        others |= {"offsets": offsets, "bytes": self.others["bytes"][places]}
        return InputColumn(self.name, self.kind, self.type, None, **others)

    def _joined(self, new: InputColumn) -> InputColumn:
        """Returns this column followed by another column, which may have another type."""
        if self.is_number and new.is_number and (self.type != new.type or self.decimals or new.decimals):
            return self._joined_numbers(new)
        valid = None
        if self.valid is not None or new.valid is not None:
            valid = np.concatenate(
                [np.ones(len(each), bool) if each.valid is None else each.valid for each in (self, new)]
            )
        texts = (c.TEXTS, c.CODES)
        are_alike = self.is_number == new.is_number
        if are_alike and self.type in texts and new.type in texts:
            return self._joined_texts(new.texts())
        if not are_alike or self.type != new.type:
            raise TypeError(f"column {self.name!r}: expected {self.noun}, found {new.noun}")
        parts, others = [self.values, new.values], self.others
        if self.type == c.INSTANTS:
            units = [each.others["units_per_second"] for each in (self, new)]
            others = {**others, "units_per_second": max(units)}
            parts = [_scaled(self.name, part, max(units) // unit) for part, unit in zip(parts, units)]
        return InputColumn(self.name, self.kind, self.type, np.concatenate(parts), **others, valid=valid)

    @property
    def is_number(self) -> bool:
        return self.type in (c.INTEGERS, c.DOUBLES) or self.decimals is not None

    def _joined_numbers(self, new: InputColumn) -> InputColumn:
        """Returns this column of numbers followed by another column of numbers, which may have another type."""
        exact = WholeNumbers()
        for column in (self, new):
            exact.add(column, np.arange(len(column)))
        facts = exact.decimals(self.name) if self.decimals or new.decimals else None
        has_long = facts is not None and (facts.whole or facts.other)
        if c.TEXTS not in (self.type, new.type) and not has_long:
            valid = np.concatenate([self.has_values, new.has_values])
            values = np.concatenate([self.values.astype("<f8"), new.values.astype("<f8")])
            return InputColumn(self.name, self.kind, c.DOUBLES, values, valid=valid, decimals=facts)
        preparations = (self.kind or "").partition("+")[1:]
        literals = [*self._literals(), *new._literals()]
        valid = np.array([text is not None for text in literals], bool)
        offsets, data = encoded_texts([text or b"0" for text in literals])
        kind = f"number{''.join(preparations)}"
        return InputColumn(self.name, kind, c.TEXTS, offsets=offsets, bytes=data, valid=valid, decimals=facts)

    def _literals(self) -> list[bytes | None]:
        """Returns numbers as texts, or None for missing values."""
        if self.type == c.TEXTS:
            return self.texts()
        numbers = zip(self.values.tolist(), self.has_values.tolist())
        return [repr(number).encode() if is_present else None for number, is_present in numbers]

    def texts(self) -> list[bytes | None]:
        """Returns texts, or None for missing values."""
        offsets, data = self.others["offsets"], self.others["bytes"].tobytes()
        texts = [data[start:end] for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist())]
        if self.type == c.CODES:
            texts = [texts[code] if code >= 0 else b"" for code in self.values.tolist()]
        return [text if is_present else None for text, is_present in zip(texts, self.has_values.tolist())]

    def _joined_texts(self, texts: list[bytes | None]) -> InputColumn:
        present = np.array([text is not None for text in texts], bool)
        if self.type == c.CODES:
            own = InputColumn(self.name, None, c.TEXTS, offsets=self.others["offsets"], bytes=self.others["bytes"])
            entries = [entry for entry in own.texts() if entry is not None]
            # The dictionary may contain an entry twice.
            codes = {entry: code for code, entry in enumerate(entries)}
            for text in texts:
                if text is not None and text not in codes:
                    codes[text] = len(entries)
                    entries.append(text)
            new = [-1 if text is None else codes[text] for text in texts]
            values = np.concatenate([self.values, np.array(new, "<i4")])
            valid = None if self.valid is None else np.concatenate([self.valid, present])
            offsets, data = encoded_texts(entries)
            others = {"offsets": offsets, "bytes": data, "entry_count": len(entries), "valid": valid}
            return InputColumn(self.name, self.kind, c.CODES, values, **others)
        offsets, data = encoded_texts([text or b"" for text in texts])
        end, valid = self.others["offsets"][-1], np.ones(len(self), bool) if self.valid is None else self.valid
        others = {
            "offsets": np.concatenate([self.others["offsets"], offsets[1:] + end]),
            "bytes": np.concatenate([self.others["bytes"][:end], data]),
            "valid": np.concatenate([valid, present]),
        }
        return InputColumn(self.name, self.kind, c.TEXTS, None, **others)


#: numpy's number for a missing time.
_NO_TIME = -(2**63)

_NOUNS = {
    c.DOUBLES: "numbers", c.INTEGERS: "whole numbers", c.BOOLEANS: "booleans", c.TEXTS: "texts", c.CODES: "categories",
    c.INSTANTS: "times",
}  # fmt: skip


def _scaled(name: str, instants: AnyArray, factor: int) -> AnyArray:
    """Returns times in a finer unit."""
    present = instants != _NO_TIME
    if factor > 1 and np.abs(instants[present]).max(initial=0) > (2**63 - 1) // factor:
        raise ValueError(
            f"column {name!r}: expected times that fit into 64 bits, found a time too far from 1970 for the finest "
            "unit of the column; convert the column to a coarser unit"
        )
    return np.where(present, instants * factor, _NO_TIME)


def _utf8(text: str) -> bytes:
    """Encodes a text. Surrogates without a partner, which UTF-8 does not have, become replacement characters."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="surrogatepass").decode(errors="replace").encode()


def encoded_texts(texts: list[Any]) -> tuple[AnyArray, AnyArray]:
    parts = [text if isinstance(text, bytes) else _utf8(text) for text in texts]
    offsets = np.zeros(len(parts) + 1, "<i8")
    np.cumsum([len(part) for part in parts], out=offsets[1:])
    return offsets, np.frombuffer(b"".join(parts) or b"\0", np.uint8)

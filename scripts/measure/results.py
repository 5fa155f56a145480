"""Rows of the table: what was measured, the bound with which it is compared, and how both are formatted."""

import statistics
from dataclasses import asdict, dataclass, field


@dataclass
class Samples:
    """Repeated measurements of one time or size, one for each round or run, in the given unit."""

    values: list
    unit: str

    @property
    def median(self):
        return statistics.median(self.values)

    def __str__(self):
        # Formats all values in the unit that suits their median.
        scale, name = scaled(self.median, self.unit)
        if len(self.values) == 1:
            return f"{amount(self.median / scale)} {name}"
        least, middle, most = (amount(value / scale) for value in (min(self.values), self.median, max(self.values)))
        return f"{middle} [{least}–{most}] {name}"



def scaled(value, name):
    """Returns the scale and the unit that suit a value."""
    scales = {
        "s": [(1, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")],
        "B": [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")],
        "B/s": [(1e6, "MB/s")],
    }.get(name, [(1, name)])
    return next(((scale, text) for scale, text in scales if abs(value) >= scale), scales[-1])


def amount(value):
    if value == int(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"


@dataclass
class Bound:
    """The bound of a row's figure. If the figure misses `limit`, the run fails. `aim` is the value to reach."""

    limit: float
    is_most: bool = True
    aim: float | None = None
    figure: str = "{:.2f}x"

    def holds(self, value, limit):
        return value <= limit if self.is_most else value >= limit

    def verdict(self, value):
        if not self.holds(value, self.limit):
            return "missed"
        return "bound and aim met" if self.aim is not None and self.holds(value, self.aim) else "met"

    def __str__(self):
        sign = "≤" if self.is_most else "≥"
        aim = "" if self.aim is None else f" (aim {self.figure.format(self.aim)})"
        return f"{sign} {self.figure.format(self.limit)}{aim}"


@dataclass
class Row:
    section: str
    what: str
    ours: Samples
    peer: Samples | None = None
    # One figure for each round if there are rounds. So if the machine slows down, both sides are affected.
    figures: list = field(default_factory=list)
    bound: Bound | None = None
    note: str = ""
    # The command, date and revision of the run that measured the row.
    run: str = ""

    @classmethod
    def of(cls, json, run):
        """Returns the row of a dictionary that `Row.json` returned."""
        return cls(
            section=json["section"],
            what=json["what"],
            ours=Samples(**json["ours"]),
            peer=json["peer"] and Samples(**json["peer"]),
            figures=json["figures"],
            bound=json["bound"] and Bound(**json["bound"]),
            note=json["note"],
            run=run,
        )

    @property
    def figure(self):
        return statistics.median(self.figures) if self.figures else None

    @property
    def verdict(self):
        return self.bound.verdict(self.figure) if self.bound else ""

    def figure_text(self):
        if not self.figures:
            return ""
        form = self.bound.figure if self.bound else "{:.2f}x"
        text = form.format(self.figure)
        # Adds the scatter to ratios only: other figures already have it in the columns beside them.
        if len(self.figures) > 1 and text.endswith("x"):
            text += f" [{form.format(min(self.figures))}–{form.format(max(self.figures))}]"
        return text

    def cells(self):
        return [
            self.what,
            str(self.ours),
            str(self.peer) if self.peer else "",
            self.figure_text(),
            str(self.bound) if self.bound else "",
            self.verdict,
        ]

    def json(self):
        return asdict(self) | {"figure": self.figure, "verdict": self.verdict}


HEADINGS = ["what", "Treeline", "against", "figure", "bound", ""]


# Facts about the machine that may differ from run to run.
OF_RUN = ("run", "revision", "load")


def run_text(machine):
    return ", ".join(machine[name] for name in OF_RUN if name in machine)


def markdown(rows, machine):
    how = "Most rows were measured in several rounds, and each round has one or more runs. The value of a round is the median of the "
    how += "runs of this round. The tables show the median of the values of all rounds. The brackets contain the least and the "
    how += "greatest of these values. "
    how += "The machine and the programs: "
    lines = [how + "; ".join(fact for name, fact in machine.items() if name not in OF_RUN) + "."]
    for section in dict.fromkeys(row.section for row in rows):
        lines += ["", f"## {section}", "", "| " + " | ".join(HEADINGS) + " |", "|---" * len(HEADINGS) + "|"]
        chosen = [row for row in rows if row.section == section]
        lines += ["| " + " | ".join(row.cells()) + " |" for row in chosen]
        notes = dict.fromkeys(row.note for row in chosen if row.note)
        notes |= dict.fromkeys(f"Measured by {row.run}." for row in chosen)
        lines += [line for note in notes for line in ("", note)]
    return "\n".join(lines) + "\n"


def text(rows):
    """Returns the table as plain text for a terminal."""
    widths = [max(map(len, column)) for column in zip(HEADINGS, *(row.cells() for row in rows))]

    def line(cells):
        return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip()

    lines = []
    for section in dict.fromkeys(row.section for row in rows):
        lines += ["", section, line(HEADINGS)]
        lines += [line(row.cells()) for row in rows if row.section == section]
    return "\n".join(lines)

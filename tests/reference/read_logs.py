"""What a log's lines add up to, for tests that hold them against the JSON of the same run."""
import pathlib

import compare

READ, WRITE = 0, 1
DIRECTIONS = (("read", READ), ("write", WRITE))
WITHIN = 0.01 if compare.is_fathom() else 0.25  # fio drops what is left at the end


def rows(path, direction=None, exactly=5):
    """The lines as numbers; every one has as many columns as readers split it into."""
    found = [[int(cell) for cell in line.split(", ")] for line in pathlib.Path(path).read_text().splitlines()]
    wrong = [row for row in found if len(row) != exactly]
    assert not wrong, (str(path), wrong[:1])
    return [row for row in found if direction is None or row[1 if exactly > 8 else 2] == direction]


def whole(lines):
    """Of a rate's lines: all that they tell of, each rate times the time since the line before."""
    total = before = 0
    for row in lines:
        total, before = total + row[1] * (row[0] - before) / 1000, row[0]
    return total


def about(value, expected, within=None):
    return abs(value - expected) <= (WITHIN if within is None else within) * abs(expected)


def mean(values):
    return sum(values) / len(values)

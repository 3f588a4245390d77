"""Differences that are wanted: tests/same/wanted.txt, a row of three parts a line, parted by ` | `: what the command line contains (* for any),
a regular expression that matches the whole line that differs, with its - or + (no ` | ` in it), and the reason."""
import pathlib
import re

LIST = pathlib.Path(__file__).with_name("wanted.txt")


class Wanted:
    def __init__(self, text):
        self.entries = []
        self.seen = set()  # numbers of lines that something was found for
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip() or line.startswith("#"):
                continue
            parts = [part.strip() for part in line.split(" | ")]
            if len(parts) != 3 or not all(parts):
                raise ValueError(f"{LIST.name}:{number}: not `command | line | reason`")
            self.entries.append((number, parts[0], re.compile(parts[1])))

    @classmethod
    def read(cls):
        return cls(LIST.read_text())

    def is_wanted(self, command, line):
        numbers = {number for number, words, pattern in self.entries if (words == "*" or words in command) and pattern.fullmatch(line)}
        self.seen |= numbers
        return bool(numbers)

    def left(self, command, lines):
        return [line for line in lines if not self.is_wanted(command, line)]

    def unseen(self):
        return [f"{LIST.name}:{number}: nothing of this was found" for number, _, _ in self.entries if number not in self.seen]

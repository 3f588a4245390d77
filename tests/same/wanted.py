"""Differences that are wanted: tests/same/wanted.txt, a row of three parts a line, parted by ` | `: what the command line contains (* for any),
a regular expression that matches the whole line that differs, with its - or + (| is written \\x7c in it), and the reason."""
import pathlib
import re

LIST = pathlib.Path(__file__).with_name("wanted.txt")


class Wanted:
    def __init__(self, text):
        self.entries = []
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip() or line.startswith("#"):
                continue
            parts = [part.strip() for part in line.split(" | ")]
            if len(parts) != 3 or not all(parts):
                raise ValueError(f"{LIST.name}:{number}: not `command | line | reason`")
            self.entries.append((parts[0], re.compile(parts[1])))

    @classmethod
    def read(cls):
        return cls(LIST.read_text())

    def left(self, command, lines):
        patterns = [pattern for words, pattern in self.entries if words == "*" or words in command]
        return [line for line in lines if not any(pattern.fullmatch(line) for pattern in patterns)]

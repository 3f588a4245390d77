"""Differences that are wanted: tests/same/wanted.txt, an entry a line in three parts, parted by ` | `: the command, the lines, the reason.

The command is a part of a row, `=` and a whole row, or * for all. The lines are a regular expression that matches the whole line that differs,
with its - or +; or MESSAGES, the lines of an error message. One that matches any line, as `.*` does, silences a row for good and so wants `=`
and a row that prints nothing but help.
"""
import pathlib
import re

MESSAGES = r"[-+](?: *(?:help|cause): .*|.*\berror: .*| *\^+|    --?\S.*)"
ANY_LINE = "+\x01 a line that no program prints"
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
            pattern = re.compile(MESSAGES if parts[1] == "MESSAGES" else parts[1])
            if pattern.fullmatch(ANY_LINE) and not re.match(r"=.*(help| -h$)", parts[0]):
                raise ValueError(f"{LIST.name}:{number}: matches any line: say which, or name one row of help with =")
            self.entries.append((number, parts[0], pattern))

    @classmethod
    def read(cls):
        return cls(LIST.read_text())

    @staticmethod
    def names(words, command):
        return command == words[1:] if words[0] == "=" else words == "*" or words in command

    def is_wanted(self, command, line):
        numbers = {number for number, words, pattern in self.entries if self.names(words, command) and pattern.fullmatch(line)}
        self.seen |= numbers
        return bool(numbers)

    def left(self, command, lines):
        return [line for line in lines if not self.is_wanted(command, line)]

    def unseen(self):
        return [f"{LIST.name}:{number}: nothing of this was found" for number, _, _ in self.entries if number not in self.seen]

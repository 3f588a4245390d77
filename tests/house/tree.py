"""What the house tests share: which tree is looked at, its files, and a planted tree for showing that a rule can fail."""
import os
import pathlib
import re
import tempfile

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
CODE = (".h", ".cc")


def files(root, folders, suffixes=None):
    """Every file below root's folders, sorted; with suffixes, only those."""
    for folder in folders:
        for path in sorted((pathlib.Path(root) / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and (suffixes is None or path.suffix in suffixes):
                yield path


def lines(path):
    return path.read_text(encoding="utf-8", errors="replace").split("\n")


_NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)


def code_only(text):
    """C++ text with comments and literals blanked, line numbers kept."""
    return _NOT_CODE.sub(lambda m: "\n" * m.group(0).count("\n") or " ", text)


class Planted:
    """A temporary tree of {relative path: text}, removed at the end of the with block."""

    def __init__(self, content):
        self.content = content

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="fathom-house-")
        root = pathlib.Path(self.folder.name)
        for name, text in self.content.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return root

    def __exit__(self, *_):
        self.folder.cleanup()

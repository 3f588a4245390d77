"""What Debian's fio answered, kept in files: a test that compares with fio need not start fio.

    answer(key, ask)    what fio answers for `key`. `ask` is a function that starts fio and returns its answer.

FATHOM_FIO says who answers:
    (not set)   The file answers. `ask` is not called. scripts/test does this.
    live        `ask` answers, and its answer must be the file's. scripts/check does this.
    record      `ask` answers, and the file is written.

Each test has a file: fio_answers/FOLDER.TEST.json beside this module, with one line for each answer. An answer holds only the facts that the
test compares (an exit status, counts, sizes, a digest), never a whole report. A test that asks for few keys (it got names as arguments)
leaves the other answers of the file as they are.
"""
import atexit
import json
import os
import pathlib
import subprocess
import sys

FIO = os.environ.get("FIO", "/usr/bin/fio")
MODE = os.environ.get("FATHOM_FIO", "")
LIVE = MODE in ("live", "record")  # fio runs
FOLDER = pathlib.Path(__file__).resolve().with_name("fio_answers")
SCRIPT = pathlib.Path(sys.argv[0] or "unknown").resolve()
FILE = FOLDER / f"{SCRIPT.parent.name}.{SCRIPT.stem}.json"

if MODE not in ("", "live", "record"):
    sys.exit(f"FATHOM_FIO={MODE}: not live or record")


class Differs(AssertionError):
    """fio's answer is not the recorded one. `live` is what fio answers now."""

    def __init__(self, text, live):
        super().__init__(text)
        self.live = live


def plain(value):
    """The value as a file would give it back: tuples become lists, and keys become strings."""
    return json.loads(json.dumps(value))


def fio_version():
    return subprocess.run([FIO, "--version"], capture_output=True, text=True, timeout=60).stdout.strip()


def read_file():
    return json.loads(FILE.read_text()) if FILE.exists() else {"fio": "", "answers": {}}


def file_text(version, answers):
    rows = [f"{json.dumps(key)}: {json.dumps(answers[key], sort_keys=True, separators=(',', ':'))}" for key in sorted(answers)]
    return f'{{"fio": {json.dumps(version)}, "answers": {{\n' + ",\n".join(rows) + "\n}}\n"


_known = read_file()
_asked = {}


def answer(key, ask, same=lambda recorded, live: recorded == live):
    """fio's answer. `same` is for answers that vary within limits: it says whether two of them are one."""
    found = key in _known["answers"]
    if not LIVE:
        if not found:
            raise AssertionError(f"{FILE.name} has no answer for {key!r}. This records it: FATHOM_FIO=record python3 {SCRIPT}")
        return _known["answers"][key]
    live = plain(ask())
    _asked[key] = live  # of several attempts the last one counts
    if MODE == "live" and not found:
        raise Differs(f"{FILE.name} has no answer for {key!r}, and fio answers {live}", live)
    if MODE == "live" and not same(_known["answers"][key], live):
        raise Differs(f"{key!r}: recorded {_known['answers'][key]}, fio answers {live}{_other_version()}", live)
    return live


def _other_version():
    installed = fio_version()
    return "" if installed == _known["fio"] else f". The answer is of {_known['fio']}, and {installed} is installed"


def _write():
    kept = _known["answers"] if sys.argv[1:] else {}
    FOLDER.mkdir(exist_ok=True)
    FILE.write_text(file_text(fio_version(), {**kept, **_asked}))
    print(f"recorded: {len(_asked)} answers in {FILE.name}")


if MODE == "record":
    atexit.register(lambda: _asked and _write())

"""What a terminal of so many columns is sent by a program, and how wide its lines are there."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import unicodedata

FATHOM = os.path.abspath(os.environ.get("FATHOM", ""))
MOST_COLUMNS = 120
ESCAPE = re.compile("\x1b\\[[0-9;]*m")


def on_terminal(columns, words, folder=None, **environment):
    """Its line ends are ours again. Without colour where none is asked for."""
    environment = {**{name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "CLICOLOR_FORCE")}, "TERM": "dumb", **environment}
    terminal, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    told = b""
    with subprocess.Popen([FATHOM, *words], stdout=end, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=environment, cwd=folder) as child:
        os.close(end)
        try:
            while block := os.read(terminal, 1 << 16):
                told += block
        except OSError:  # EIO: nobody has it open any more
            pass
    os.close(terminal)
    return told.decode().replace("\r\n", "\n")


def width(line):
    """Columns that it takes, colour taking none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in ESCAPE.sub("", line))


def too_wide(text, columns):
    return [line for line in text.splitlines() if width(line) > min(columns, MOST_COLUMNS)]

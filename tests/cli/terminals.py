"""What a terminal of so many columns is sent by a program, and how wide its lines are there."""
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
import unicodedata

FATHOM = os.path.abspath(os.environ.get("FATHOM", ""))
MOST_COLUMNS = 120
LAST = b"\0end"  # written behind the program's output: a terminal that its last writer closes may lose what nobody has read of it yet
RESIZED = b"\0resized"  # stands where its width changed
ESCAPE = re.compile("\x1b\\[[0-9;]*m")
CONTROLS = re.compile("\x1b\\[[0-9;?]*[a-zA-Z]")


def on_terminal(columns, words, folder=None, to="stdout", interrupt_s=None, resized=None, **environment):
    """Its line ends are ours again. Without colour where none is asked for. to: which of its streams the terminal is, several with a comma. interrupt_s: after so long it is sent SIGINT.
    resized: after so many seconds, and to so many columns."""
    environment = {**{name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "CLICOLOR_FORCE")}, "TERM": "dumb", "LC_ALL": "C.UTF-8", **environment}
    terminal, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    told = b""
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL, **{stream: end for stream in to.split(",")}}
    with subprocess.Popen([FATHOM, *words], **streams, env=environment, cwd=folder) as child:
        if interrupt_s is not None:
            threading.Timer(interrupt_s, child.send_signal, (signal.SIGINT,)).start()
        if resized is not None:
            def resize():
                fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, resized[1], 0, 0))
                child.send_signal(signal.SIGWINCH)
                os.write(end, RESIZED)
            threading.Timer(resized[0], resize).start()
        closing = threading.Thread(target=lambda: (child.wait(), os.write(end, LAST)))
        closing.start()
        while not told.endswith(LAST):
            told += os.read(terminal, 1 << 16)
        closing.join()
    os.close(end)
    os.close(terminal)
    return told[:-len(LAST)].decode().replace("\r\n", "\n")


def width(line):
    """Columns that it takes, colour taking none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in ESCAPE.sub("", line))


def too_wide(text, columns):
    return [line for line in text.splitlines() if width(line) > min(columns, MOST_COLUMNS)]

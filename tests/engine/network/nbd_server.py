"""nbdkit as the server of a test: started for it, with a log of every request, which is the server's own count."""
import collections
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

NBDKIT = shutil.which("nbdkit") or shutil.which("nbdkit", path="/usr/sbin:/sbin")
REQUEST = re.compile(r" (Read|Write|Trim|Flush|Zero) id=(\d+)(?: offset=0x([0-9a-f]+) count=0x([0-9a-f]+))?(?: fua=(\d))?.*\.\.\.$")
Counted = collections.namedtuple("Counted", "requests bytes fua")


class Server:
    def __init__(self, process, folder):
        self.process, self.socket, self.log = process, folder / "socket", folder / "log"
        self.uri = f"nbd+unix:///?socket={self.socket}"

    def counted(self):
        """{kind: requests, bytes, requests with FUA} of all connections, by the server."""
        rows = [m for line in self.log.read_text().splitlines() if (m := REQUEST.search(line))]
        kinds = {m[1] for m in rows}
        return {kind: Counted(sum(m[1] == kind for m in rows), sum(int(m[4] or "0", 16) for m in rows if m[1] == kind), sum(m[1] == kind and m[5] == "1" for m in rows))
                for kind in kinds}

    def connections(self):
        return self.log.read_text().count(" Connect ")

    def failed(self):
        return self.log.read_text().count(" error=")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextlib.contextmanager
def nbdkit(*words, filters=(), port=None, log=True, prepare=None):
    """nbdkit [--filter=log] [other filters] PLUGIN words. The log is the filter next to the client."""
    with tempfile.TemporaryDirectory(prefix="fathom-nbd-") as name:
        folder = pathlib.Path(name)
        listens = ["-U", folder / "socket"] if port is None else ["-i", "127.0.0.1", "-p", str(port)]
        logged = (["--filter=log"], [f"logfile={folder / 'log'}"]) if log else ([], [])
        command = [NBDKIT, "-f", "-P", folder / "pid", *listens, *logged[0], *[f"--filter={f}" for f in filters], *words, *logged[1]]
        process = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=prepare)
        try:
            while not (folder / "pid").exists():  # written when it listens
                assert process.poll() is None, f"{command} ended with {process.returncode}"
                time.sleep(0.005)
            yield Server(process, folder)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()


def environment():
    return {**os.environ, "LIBNBD_DEBUG": "0"}

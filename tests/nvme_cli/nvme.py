"""Calling the finished program: what the tests of `fathom nvme` share."""
import json
import os
import signal
import subprocess
import tempfile
import time

FATHOM = os.environ["FATHOM"]
FOLDER = tempfile.TemporaryDirectory(prefix="fathom-nvme-")
ENVIRONMENT = {**os.environ, "XDG_RUNTIME_DIR": FOLDER.name}
TIMEOUT_S = 60


def fathom(*arguments, program=FATHOM, **more):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=TIMEOUT_S, env=ENVIRONMENT, **more)


def nvme(*arguments, **more):
    return fathom("nvme", *arguments, **more)


def perf_json(*arguments):
    """(exit status, document) of a short perf."""
    done = nvme("perf", "--output-format=json", "--clock-check=skip", *arguments)
    text = done.stdout
    return done.returncode, json.loads(text[text.index("{"):]) if "{" in text else done.stderr


def is_bench_build():
    """Whether the program can take a trick of the driver away (cmake -DFATHOM_ABLATIONS=ON)."""
    return "only in a bench build" not in nvme("perf", "--device=soft:ideal", "--number_ios=100", "--clock-check=skip", "--clocksource=cpu", "--nvme_divide=1").stderr


class Served:
    """`fathom nvme serve` in a process of its own."""

    def __init__(self, *arguments, sockets=1):
        self.folder = tempfile.mkdtemp(dir=FOLDER.name)
        self.sockets = [os.path.join(self.folder, f"s{i}") for i in range(sockets)]
        command = [FATHOM, "nvme", "serve", *(f"--socket={s}" for s in self.sockets), *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        self.lines = [self.process.stdout.readline() for _ in self.sockets]

    def __enter__(self):
        return self

    def stop(self, how=signal.SIGTERM):
        """(exit status, what it still printed)"""
        self.process.send_signal(how)
        out, err = self.process.communicate(timeout=TIMEOUT_S)
        return self.process.returncode, out + err

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


def wait_for(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()

"""The quiet twin of foreign_test.py: a disk on which nobody but the run works, ext4 on a zram and a loop device of a file there, while others
write elsewhere. Whatever the file system writes of its own is nobody else's: nothing may stand in foreign[]."""
# label: kernel
# timeout: 120
import contextlib
import os
import shutil
import subprocess
import sys
import time

from audited import FATHOM, Checks, folder, parse, write_while_busy

INSIDE = "FATHOM_TEST_MOUNTS"
CONTROL = "/sys/class/zram-control"
FILE_SIZE = 64 << 20
NOISE = "while :; do dd if=/dev/zero of=$F bs=64k count=64 conv=fsync 2>/dev/null; done"
JOBS = [["--rw=randwrite", "--fsync=1"], ["--rw=randwrite", "--direct=1", "--fsync=32"], ["--rw=randread", "--direct=1"]]


@contextlib.contextmanager
def quiet_disk(where, options):
    """ext4 on a new zram; None where there can be none."""
    number = None
    with contextlib.suppress(OSError), open(f"{CONTROL}/hot_add") as f:
        number = f.read().strip()
    if number is None or not shutil.which("mkfs.ext4"):
        yield None
        return
    at = os.path.join(where, "quiet")
    os.makedirs(at, exist_ok=True)
    write_while_busy(f"/sys/block/zram{number}/disksize", str(8 * FILE_SIZE))
    # All of it is written now: later it would be the work of a thread of the kernel's.
    subprocess.run(["mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", f"/dev/zram{number}"], check=True)
    subprocess.run(["mount", "-o", options, f"/dev/zram{number}", at], check=True)
    try:
        yield at
    finally:
        subprocess.run(["umount", at], check=True)
        write_while_busy(f"/sys/block/zram{number}/reset", "1")
        write_while_busy(f"{CONTROL}/hot_remove", number)


@contextlib.contextmanager
def loop_on(path, sparse):
    with open(path, "wb") as f:
        if sparse:
            f.truncate(FILE_SIZE)
        else:
            f.write(os.urandom(FILE_SIZE))
        os.fsync(f.fileno())
    loop = subprocess.run(["losetup", "--find", "--show", path], check=True, capture_output=True, text=True).stdout.strip()
    try:
        yield loop
    finally:
        subprocess.run(["losetup", "--detach", loop], check=True)
        os.unlink(path)
        os.sync()


def run(*words):
    argv = [FATHOM, "run", "--name=t", "--bs=4k", "--time_based", "--runtime=1", "--clock-check=skip", "--output-format=json", *words]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        sys.exit(f"{' '.join(argv)}: exit status {done.returncode}\n{done.stderr[-2000:]}")
    return parse(done.stdout)


def nobody(checks, fathom, what):
    audit = fathom["audit"]
    accused = [io["cause"] for io in audit.get("foreign", [])] + [f["evidence"] for f in fathom["findings"] if f["id"] == "audit.foreign_io"]
    checks.check(not accused and audit["verdict"] in ("agrees", "explained"), f"{what}: {audit['line']} {accused}")


def on_loops(checks, at):
    for sparse in (True, False):
        with loop_on(os.path.join(at, "backing"), sparse) as loop:
            for job in JOBS:
                fathom = run(f"--filename={loop}", f"--allow-destructive={loop}", *job)
                nobody(checks, fathom, f"{'sparse' if sparse else 'full'} {' '.join(job)}")


def own_deletes(checks, at):
    """A job deletes its file, and the commits of another let the file system give the blocks back within the run."""
    for name in os.listdir(at):
        if os.path.isfile(f"{at}/{name}"):
            os.unlink(f"{at}/{name}")
    os.sync()
    time.sleep(0.5)  # what that freed is given back
    fathom = run(f"--filename={at}/f", f"--size={FILE_SIZE}", "--rw=write", "--bs=64k", "--time_based=0", "--unlink=1",
                 "--name=u", f"--filename={at}/g", "--size=4m", "--bs=4k", "--rw=randwrite", "--fsync=1", "--unlink=0", "--time_based=1", "--runtime=2")
    nobody(checks, fathom, "own files deleted on a mount with discard")
    seen = [c["value"] for c in fathom["audit"]["counts"] if (c["source"], c["name"]) == ("block", "discard_sectors")]
    print(f"     {seen} bytes were given back within the run")


def two_on_one(checks, at):
    """A direct job on the disk that holds the file of another job's loop device."""
    with loop_on(os.path.join(at, "backing"), False) as loop:
        fathom = run(f"--filename={at}/f", f"--size={FILE_SIZE}", "--rw=randread", "--direct=1", "--name=u", f"--filename={loop}", "--rw=randread")
        nobody(checks, fathom, "a job below another's loop device")
        below = [w for w in fathom["audit"]["witnesses"] if w["source"] == "below"]
        checks.check([w["diagnosis"] for w in below] == ["page_cache"], f"and the cache of its file is told: {[w['cause'] for w in below]}")


def main():
    checks = Checks()
    with folder() as where:
        if os.geteuid() != 0 or not os.path.exists(CONTROL):
            print("skipped: not root, or no zram can be made")
            return 77
        if INSIDE not in os.environ and shutil.which("unshare"):  # mounts that die with us, whatever ends us
            return subprocess.run(["unshare", "--mount", sys.executable, os.path.abspath(__file__)], env={**os.environ, INSIDE: "1"}).returncode
        noise = subprocess.Popen(["sh", "-c", NOISE], env={**os.environ, "F": os.path.join(where, "noise")}, start_new_session=True)
        try:
            for options, parts in (("rw", (on_loops, two_on_one)), ("discard", (own_deletes,))):
                with quiet_disk(where, options) as at:
                    if at is None:
                        print("skipped: no ext4 on a zram can be made")
                        return 77
                    for part in parts:
                        checks.in_attempts(part, at)
        finally:
            os.killpg(noise.pid, 9)
            noise.wait()
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())

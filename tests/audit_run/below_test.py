"""What lies below a loop device and an overlay, really made: a cached file that no disk reads, one with direct I/O, an overlay whose layers are
in sight, a container where they are not, and one that shares a file of its disk with the host, as /etc/hosts is."""
# label: kernel
# timeout: 120
import contextlib
import os
import shutil
import subprocess
import sys

from audited import FATHOM, SIZE, Checks, folder, has_disk, loop_disk, make_file, parse, run_words, witness
from quiet_test import quiet_disk

INSIDE = "FATHOM_TEST_MOUNTS"
JOB = ["--name=t", f"--size={SIZE}", "--rw=randread", "--bs=64k", "--direct=1", "--clock-check=skip", "--output-format=json"]


def on_loop(checks, where):
    with loop_disk(where) as loop:
        if not loop:
            return print("     skipped: no loop device can be made")
        backing = os.path.join(where, "backing")
        with open(backing, "rb") as f:
            while f.read(1 << 20):
                pass
        fathom = run_words([FATHOM, "run", f"--filename={loop}", *JOB])
        w = witness(fathom, "below")
        checks.check(w["verdict"] == "explained" and w["diagnosis"] == "page_cache" and w["seen_bytes"] < SIZE / 4, f"cached: {fathom['audit']['line']}")
        checks.check(any(f["id"] == "audit.below" and "--direct-io=on" in f["remedy"] for f in fathom["findings"]), "a finding names the remedy")
        if subprocess.run(["losetup", "--direct-io=on", loop], stderr=subprocess.DEVNULL).returncode != 0:
            return print("     skipped: no direct I/O on this file system's files")
        fathom = run_words([FATHOM, "run", f"--filename={loop}", *JOB])
        w = witness(fathom, "below")
        checks.check(w["seen_bytes"] >= SIZE and w["verdict"] in ("agrees", "explained"), f"its twin with direct I/O: {fathom['audit']['line']}")
        return checks.check(not any(f["id"] == "audit.below" for f in fathom["findings"]), "and no finding")


@contextlib.contextmanager
def merged(where, lower):
    """An overlay; None where none may be made."""
    names = {name: os.path.join(where, name) for name in ("upper", "work", "merged")}
    for path in names.values():
        os.makedirs(path, exist_ok=True)
    options = f"lowerdir={lower},upperdir={names['upper']},workdir={names['work']}"
    made = subprocess.run(["mount", "-t", "overlay", "fathom", "-o", options, names["merged"]], capture_output=True, text=True)
    if made.returncode != 0:
        yield None
        return
    try:
        yield names["merged"]
    finally:
        subprocess.run(["umount", "-R", names["merged"]], check=True)
        for path in names.values():
            shutil.rmtree(path, ignore_errors=True)


def on_overlay(checks, where):
    lower = os.path.join(where, "lower")
    os.makedirs(lower, exist_ok=True)
    make_file(os.path.join(lower, "f"))
    with merged(where, lower) as at:
        if not at:
            return print("     skipped: no overlay can be made")
        for name, rw in (("f", "randread"), ("new", "write")):
            fathom = run_words([FATHOM, "run", f"--filename={at}/{name}", *JOB, f"--rw={rw}"])
            for source in ("block", "process"):
                w = witness(fathom, source, rw[-4:] if rw == "randread" else "write")
                checks.check(w["verdict"] in ("agrees", "explained") and w["seen_bytes"] >= SIZE, f"overlay, {rw}, {source}: {fathom['audit']['line']}")
        with open(f"{at}/f", "rb") as f:
            f.read()
        fathom = run_words([FATHOM, "run", f"--filename={at}/f", *JOB, "--rw=read", "--direct=0", "--invalidate=0"])
        w = witness(fathom, "process", "read")
        checks.check(w["verdict"] == "explained" and w["diagnosis"] == "page_cache", f"overlay, cached: {fathom['audit']['line']}")
    return None


def layers_apart(checks, where):
    """Lower layer on a disk of its own: a folder of the overlay that is mounted elsewhere, and a file that writing copies up."""
    with quiet_disk(where, "rw") as disk:
        if not disk:
            return print("     skipped: no ext4 on a zram can be made")
        os.makedirs(f"{disk}/lower/sub")
        for name in ("sub/f", "g"):
            make_file(f"{disk}/lower/{name}")
        with merged(where, f"{disk}/lower") as at:
            if not at:
                return print("     skipped: no overlay can be made")
            part = os.path.join(where, "part")
            os.makedirs(part, exist_ok=True)
            subprocess.run(["mount", "--bind", f"{at}/sub", part], check=True)
            try:
                for path, rw in ((f"{part}/f", "read"), (f"{at}/g", "write")):
                    fathom = run_words([FATHOM, "run", f"--filename={path}", *JOB, f"--rw={rw}"])
                    w = witness(fathom, "block", rw)
                    right = w["subject"].startswith("zram") == (rw == "read")
                    checks.check(right and w["verdict"] in ("agrees", "explained") and w["seen_bytes"] >= SIZE, f"layers apart, {rw}: {fathom['audit']['line']}")
            finally:
                subprocess.run(["umount", part], check=True)
    return None


def inside(at, *words):
    done = subprocess.run(["chroot", at, "/fathom", "run", "--filename=/data", *JOB, *words], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        sys.exit(f"in the container: exit status {done.returncode}\n{done.stderr[-2000:]}")
    return parse(done.stdout)


def in_a_container(checks, where):
    """The whole of this system seen through an overlay, as the root of a container is."""
    with merged(where, "/") as at:
        if not at:
            return print("     skipped: no overlay can be made")
        shutil.copy(FATHOM, os.path.join(at, "fathom"))
        for kind, name in (("proc", "proc"), ("sysfs", "sys"), ("tmpfs", "dev"), ("tmpfs", "tmp")):
            subprocess.run(["mount", "-t", kind, "fathom", os.path.join(at, name)], check=True)
        audit = inside(at, "--rw=write")["audit"]
        w = [w for w in audit["witnesses"] if w["source"] == "process"]
        checks.check(audit["verdict"] in ("agrees", "explained") and w and w[0]["seen_bytes"] >= SIZE,
                     f"no layer in sight: the process stands: {audit['line']}")
        checks.check(any("none of its layers is visible" in m for m in audit["missing"]), f"and why no disk does: {audit['missing']}")
        shared = os.path.join(where, "hosts")
        for path in (shared, os.path.join(at, "etc", "hosts")):
            with open(path, "a"):
                pass
        subprocess.run(["mount", "--bind", shared, os.path.join(at, "etc", "hosts")], check=True)
        audit = inside(at)["audit"]
        return checks.check(any(w["source"] == "block" and w["seen_bytes"] >= SIZE for w in audit["witnesses"]),
                            f"the host's disk is in sight by another file of it: {audit['line']}")


def main():
    checks = Checks()
    with folder() as where:
        if os.geteuid() != 0 or not has_disk(where):
            print("skipped: not root, or /var/tmp lies on no disk that the block layer counts")
            return 77
        if INSIDE not in os.environ and shutil.which("unshare"):  # mounts that die with us, whatever ends us
            return subprocess.run(["unshare", "--mount", sys.executable, os.path.abspath(__file__)], env={**os.environ, INSIDE: "1"}).returncode
        for part in (on_loop, on_overlay, layers_apart, in_a_container):
            checks.in_attempts(part, where)
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())

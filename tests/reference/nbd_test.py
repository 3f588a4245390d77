"""ioengine=nbd: the server's log of the requests of a job, with fio and with fathom: kinds, offsets, sizes and flags, in their order where one request is in flight and
offsets are not random. Without fdatasync=: fio 3.33 fails such a job, since its engine knows no datasync."""
# label: test
# cost: 5
import hashlib
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["FATHOM_SOURCE"], "tests", "engine", "network"))
import nbd_server  # noqa: E402
import recorded  # noqa: E402

FATHOM = os.environ["FATHOM"]
JOBS = (["--rw=read"], ["--rw=write", "--bs=64k"], ["--rw=randread"], ["--rw=randtrim"], ["--rw=write", "--fsync=8"],
        ["--rw=write", "--end_fsync=1"], ["--rw=randread", "--size=1m", "--offset=1m"], ["--rw=randread", "--iodepth=8"],
        ["--rw=trimwrite"], ["--rw=randread", "--numjobs=2"])


def requests(words, in_order):
    """What the server was asked by a job: the number of each kind, and a digest of all requests."""
    with nbd_server.nbdkit("memory", "4M") as server:
        done = subprocess.run([*words, "--name=t", "--ioengine=nbd", f"--uri={server.uri}"], capture_output=True, text=True, timeout=60,
                              env={**nbd_server.environment(), "FATHOM_ALLOW_DESTRUCTIVE": server.uri})
        if done.returncode != 0:
            sys.exit(f"{words}: {done.returncode}\n{done.stdout[-500:]}{done.stderr}")
        asked = [(m[1], m[3], m[4], m[5]) for line in server.log.read_text().splitlines() if (m := nbd_server.REQUEST.search(line))]
        if not in_order:
            asked.sort(key=str)
        kinds = {kind: sum(row[0] == kind for row in asked) for kind in {row[0] for row in asked}}
        return {"requests": kinds, "digest": hashlib.sha256(repr(asked).encode()).hexdigest()[:16]}


def compared(job):
    in_order = not any(word.startswith(("--iodepth", "--numjobs", "--rw=rand")) for word in job)
    theirs = recorded.answer(" ".join(job), lambda: requests([recorded.FIO, *job], in_order))
    ours = requests([FATHOM, "run", "--clock-check=skip", *job], in_order)
    return theirs == recorded.plain(ours), theirs, ours


def main():
    plugin = pathlib.Path(os.environ["FATHOM_BUILD"], "fathom_nbd.so")
    if nbd_server.NBDKIT is None or not plugin.exists():
        print("skipped: nbdkit is not installed, or the engine was built without libnbd-dev")
        return 77
    wrong = 0
    for job in JOBS:
        same, theirs, ours = compared(job)
        wrong += not same
        print(f"{'ok' if same else 'DIFFERENT':9} {' '.join(job)}: {ours['requests']}" + ("" if same else f"\n  fio    {theirs}\n  fathom {ours}"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

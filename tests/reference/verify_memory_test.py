# label: kernel
# timeout: 300
# cost: 20
"""The memory of verification does not grow with what is written. A FUSE file that makes its blocks again when they are read (tests/tools/recomputing_fs.cc)
stands in for a disk of any size. Written once, in order or by the permutation: nothing is kept of the writes. Written over: the last version of each
block is demanded, from a map of 8 bytes a block, which above 64 MiB lies in a file without a name.

VERIFY_MEMORY_GIB=4,64 is the long form (scripts/check verify-memory): the sizes that are held against each other.
"""
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import compare

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import damaged_mount  # noqa: E402

MIB = 1 << 20
LONG = os.environ.get("VERIFY_MEMORY_GIB")
SMALL, LARGE = (int(gib) << 10 for gib in LONG.split(",")) if LONG else (128, 1024)  # MiB
BLOCK = 65536 if LONG else 16384
MOST_GROWTH_KIB = 1024 if LONG else 256  # the short form has 56 Ki blocks more: 5 bytes of each would be seen; what a run itself varies by is a hundred KiB


def words(mount, *more):
    # One process: its memory is the program's, the worker's thread included.
    return [compare.FATHOM, "--name=j", "--thread", f"--filename={mount.data}", "--ioengine=psync", "--verify=crc32c", "--output-format=json", "--audit=off",
            "--clock-check=skip", *more]


def memory(pid):
    """KiB that are resident of what the program wrote itself: the rest are pages of its own file and of libraries, which come and go."""
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return sum(int(kib) for kib in re.findall(r"^Rss(?:Anon|Shmem):\s+(\d+) kB$", f.read(), re.M))


def measured(argv):
    """(exit status, KiB of its memory while it read back, what it printed). The median of the later half, for at the very end the report takes some too."""
    with tempfile.TemporaryFile("w+") as out:
        child, kib = subprocess.Popen(argv, stdout=out, stderr=subprocess.STDOUT), []
        while child.poll() is None:
            kib.append(memory(child.pid))
            time.sleep(0.005)
        out.seek(0)
        return child.returncode, statistics.median(kib[len(kib) // 2:]), out.read()


def accused(text):
    return {int(at) for at in re.findall(r"at file .*? offset (\d+)", text)}


def start(mount, block, *plants):
    mount.command(f"block {block}", *plants)


def whole(checks, mount, name, mib, block, *more, loops=1):
    """One job that writes all and reads back what is not written over; its memory in KiB."""
    start(mount, block)
    begin = time.monotonic()
    status, kib, text = measured(words(mount, f"--size={mib}m", f"--bs={block}", *more))
    report = compare.parse_report(text)
    checks.equal(f"{name}, {mib} MiB: exit status", status, 0)
    checks.equal(f"{name}, {mib} MiB: all were blocks of contents from a seed", mount.acted(), {-1: 0})
    if not checks.check(f"{name}, {mib} MiB: a report", report is not None, text):
        return 0
    moved = [report["jobs"][0][way]["io_bytes"] // MIB for way in ("write", "read")]
    checks.equal(f"{name}, {mib} MiB: written and read back", moved, [mib * loops, mib])
    checks.note(f"{name}, {mib:6} MiB: {kib:.0f} KiB, {time.monotonic() - begin:.1f} s")
    return kib


def written_once(checks, mount):
    rows = []
    for mode in ("write", "randwrite"):
        small, large = (whole(checks, mount, mode, mib, BLOCK, f"--rw={mode}") for mib in (SMALL, LARGE))
        checks.check(f"{mode}: {LARGE} MiB need at most {MOST_GROWTH_KIB} KiB more than {SMALL}", large - small <= MOST_GROWTH_KIB, f"{small} and {large} KiB")
        rows.append({"rw": mode, "bs": BLOCK, "mib": [SMALL, LARGE], "memory_kib": [small, large]})
    return rows


def written_over(checks, mount):
    """Two passes over all: 8 bytes a block and no more."""
    block, sizes = 512, (8, 40)
    small, large = (whole(checks, mount, "written over", mib, block, "--rw=write", "--loops=2", loops=2) for mib in sizes)
    blocks = (sizes[1] - sizes[0]) * MIB // block
    checks.check("written over: 8 bytes a block", large - small <= blocks * 8 // 1024 + MOST_GROWTH_KIB, f"{small} and {large} KiB for {blocks} blocks more")


def flipped(checks, mount):
    """The file system can be believed: what it damages is told, and nothing else."""
    start(mount, BLOCK, f"flip {5 * BLOCK} 90000")
    status, _, text = measured(words(mount, "--size=1m", f"--bs={BLOCK}", "--rw=randwrite", "--continue_on_error=verify"))
    checks.equal("flip: accused", accused(text), {5 * BLOCK})
    checks.equal("flip: was done", mount.acted()[5 * BLOCK] > 0, True)


def last_version(checks, mount):
    """The second write of a block is lost: the first one, whole and with a good checksum, is told for what it is. Its clean twin is silent."""
    for plants, wanted in (((), set()), ((f"lost {7 * 4096} 1",), {7 * 4096})):
        start(mount, 4096, *plants)
        status, _, text = measured(words(mount, "--size=1m", "--bs=4k", "--rw=write", "--loops=2", "--continue_on_error=verify"))
        checks.equal(f"written over, {plants}: accused", accused(text), wanted)
        checks.check(f"written over, {plants}: said to be older", not wanted or "lost: the block contains an older write" in text, text[-1500:])


def mapped_files(pid):
    """{bytes: name} of the files without a name that are mapped."""
    with open(f"/proc/{pid}/maps") as f:
        rows = re.findall(r"^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \d+ +(/.*/#\d+ \(deleted\))$", f.read(), re.M)
    return {int(end, 16) - int(begin, 16): name for begin, end, name in rows}


def map_in_file(checks, mount):
    """Blocks of 512 bytes in 5 GiB: a map of 80 MiB. It lies in a file of TMPDIR, 8 bytes a block; one of 40 MiB does not."""
    block = 512
    for mib, in_file in ((5120, True), (2560, False)):
        start(mount, block)
        argv = words(mount, f"--size={mib}m", f"--bs={block}", "--rw=randwrite", "--norandommap", "--io_size=2m", "--rate_iops=4000")
        with tempfile.TemporaryDirectory(dir=compare.BASE) as folder:
            child = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": folder})
            seen = {}
            while child.poll() is None and not seen:
                try:
                    seen = mapped_files(child.pid)
                except OSError:
                    break
                time.sleep(0.02)
            _, said = child.communicate()
            checks.equal(f"map of {mib} MiB: exit status", child.returncode, 0)
            checks.equal(f"map of {mib} MiB: bytes of its file", list(seen), [mib * MIB // block * 8] if in_file else [])
            checks.check(f"map of {mib} MiB: where", all(name.startswith(folder + "/") for name in seen.values()), (seen, said))


def main():
    damaged_mount.skip_without_fuse()
    compare.need_fathom()
    checks = compare.Checks()
    with damaged_mount.mounted(damaged_mount.RECOMPUTING) as mount:
        flipped(checks, mount)
        rows = written_once(checks, mount)
        if not LONG:
            written_over(checks, mount)
            last_version(checks, mount)
            map_in_file(checks, mount)
    if os.environ.get("FATHOM_SOAK_OUT"):
        result = {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "fathom": subprocess.run([compare.FATHOM, "--version"], capture_output=True, text=True).stdout.strip(),
                  "method": "crc32c", "most_growth_kib": MOST_GROWTH_KIB, "rows": rows, "failed": checks.failed}
        pathlib.Path(os.environ["FATHOM_SOAK_OUT"]).write_text(json.dumps(result, indent=1) + "\n")
    checks.done()


main()

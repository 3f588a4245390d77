# label: test
# timeout: 300
# cost: 10
"""zonemode=zbd on zones that are emulated in a file: where each I/O goes, how much is moved, and how many zones are reset, as in Debian's fio.

Both programs run the same job on an existing file; fio's side is recorded. The order of a sequential job is compared I/O by I/O by write_iolog. The offsets of a
random job differ, because the programs draw other numbers: bytes, resets and the laws of zones are compared. fio 3.33 resets a zone whose rest is below a block;
fio 3.42 and fathom finish it: no row has such a rest."""
import hashlib
import pathlib
import re
from concurrent.futures import ThreadPoolExecutor

import compare

KIB, ZONE = 1 << 10, 1 << 20
COMMON = ["--name=a", "--filename=F", "--zonemode=zbd", "--zonesize=1m", "--write_iolog=log", "--create_serialize=1"]

# words of a job with one order on a file of 4 MiB
# effect: zonemode=zbd
SAME = [
    ["--rw=write", "--bs=64k", "--size=4m"],
    # effect: zonecapacity
    ["--rw=write", "--bs=64k", "--size=4m", "--zonecapacity=768k"],
    ["--rw=write", "--bs=256k", "--size=4m", "--io_size=8m"],
    ["--rw=write", "--bs=256k", "--size=4m", "--loops=2"],
    # effect: zoneskip
    ["--rw=write", "--bs=256k", "--size=4m", "--zoneskip=1m"],
    ["--rw=write", "--bs=64k", "--size=4m", "--offset=100k"],
    ["--rw=write", "--bs=64k", "--size=4m", "--max_open_zones=1"],
    ["--rw=write", "--bs=256k", "--size=3500k"],
    ["--rw=write", "--bs=256k", "--size=2z"],
    ["--rw=write", "--bs=256k", "--size=2m", "--offset=1z"],
    ["--rw=write", "--bs=256k", "--size=4m", "--verify=crc32c"],
    ["--rw=read", "--bs=256k", "--size=4m"],
    ["--rw=read", "--bs=256k", "--size=4m", "--read_beyond_wp=1"],
    ["--rw=trim", "--bs=1m", "--size=4m"],
    ["--rw=write", "--bs=64k", "--size=1m", "--number_ios=5"],
]
# words of a random job: bytes and resets are equal
RANDOM = [
    ["--rw=randwrite", "--bs=64k", "--size=4m"],
    ["--rw=randwrite", "--bs=256k", "--size=4m", "--verify=crc32c"],
    ["--rw=randwrite", "--bs=64k", "--size=4m", "--verify=crc32c", "--verify_backlog=8"],
    ["--rw=randtrim", "--bs=1m", "--size=4m"],
    ["--rw=randread", "--bs=64k", "--size=4m"],
]
# words, the text that both programs print; the job moves nothing
# effect: max_open_zones job_max_open_zones
REFUSED = [
    (["--rw=write", "--bs=64k", "--size=4m", "--zonesize=300"], "zone size must be at least 512 bytes for --zonemode=zbd"),
    (["--rw=write", "--bs=64k", "--size=4m", "--zonesize=0"], "Specifying the zone size is mandatory for regular file/block device with --zonemode=zbd"),
    (["--rw=write", "--bs=64k", "--size=4m", "--zonecapacity=2m"], "job parameter zonecapacity 2097152 is larger than zone size 1048576"),
    (["--rw=write", "--bs=64k", "--size=4m", "--zonesize=8m"], "is smaller than zone size 8388608"),
    (["--rw=write", "--bs=64k", "--size=512k"], "io_size must be at least one zone"),
    (["--rw=write", "--bs=64k", "--size=4m", "--job_max_open_zones=2"], "'job_max_open_zones' cannot be used without a global open zones limit"),
    (["--rw=write", "--bs=2m", "--size=4m"], "I/O buflen exceeds zone size"),
    (["--rw=write", "--bs=64k", "--size=4m", "--zoneskip=1000k"], "is not a multiple of the device zone size"),
    (["--rw=trim", "--bs=64k", "--size=4m"], "trim block size 65536 is not the zone size 1048576"),
    (["--rw=write", "--bs=64k", "--size=4m", "--create_serialize=0"], "--zonemode=zbd and --create_serialize=0 are not compatible"),
]


def trace(text):
    """[(direction, offset, length)] of an iolog, version 3."""
    return [(found[1], int(found[2]), int(found[3])) for found in re.finditer(r"^\d+ \S+ (read|write|trim) (\d+) (\d+)$", text, re.M)]


def run(program, words):
    with compare.workspace() as cwd:
        compare.fill(cwd, {"F": "4m"})
        outcome = compare.execute([program, *COMMON, *words], cwd)
        log = pathlib.Path(cwd) / "log"
        ios = trace(log.read_text()) if log.exists() else []
    resets = sum(int(number) for number in re.findall(r"write: .*; (\d+) zone resets", outcome.stdout))
    moved = {way: sum(length for dir, _, length in ios if dir == way) for way in ("read", "write", "trim")}
    return outcome.rc, moved, resets, ios, outcome.stdout + outcome.stderr


def laws(ios):
    """The first I/O that breaks a law: a write away from the write pointer, or a read beyond it. A write at the start of a zone may follow a reset."""
    wp = {}
    for at, (way, offset, length) in enumerate(ios):
        zone = offset // ZONE
        pointer = wp.get(zone, zone * ZONE)
        if way == "write" and offset not in (pointer, zone * ZONE):
            return at, way, offset, pointer
        if way == "read" and offset + length > pointer:
            return at, way, offset, pointer
        if way == "write":
            wp[zone] = offset + length
        if way == "trim":
            wp.pop(zone, None)
    return None


def digest(ios):
    return f"{len(ios)} {hashlib.sha256(repr(ios).encode()).hexdigest()[:16]}"


def name_of(words):
    return " ".join(words)


def same(checks, words):
    theirs, own, _ = checks.beside_fio(name_of(words), lambda program: run(program, words), lambda found: [*found[:3], digest(found[3])])
    for what, a, b in zip(("exit status", "bytes", "resets", "I/Os"), own, theirs):
        checks.equal(f"{name_of(words)}: {what}", a, b)


def similar(checks, words):
    theirs, own, ours = checks.beside_fio(name_of(words), lambda program: run(program, words), lambda found: found[:3])
    for what, a, b in zip(("exit status", "bytes", "resets"), own, theirs):
        checks.equal(f"{name_of(words)}: {what}", a, b)
    checks.equal(f"{name_of(words)}: the laws of zones", laws(ours[3]), None)


def refused(checks, words, text):
    theirs, own, _ = checks.beside_fio(name_of(words), lambda program: run(program, words), lambda found: [text in found[4], found[1]])
    checks.equal(f"{name_of(words)}: {text}", own, theirs)
    checks.check(f"{name_of(words)}: both say so", own[0] and theirs[0], (own, theirs))


# Options whose effect fio 3.33 does not have, or draws: (words, bytes written, least and most resets)
OWN = [
    # effect: write_zone_remainder
    (["--rw=write", "--bs=384k", "--size=4m"], 8 * 384 * KIB, 0, 0),
    (["--rw=write", "--bs=384k", "--size=4m", "--write_zone_remainder=1"], 4 * ZONE - 256 * KIB, 0, 0),
    # effect: zone_reset_frequency zone_reset_threshold
    (["--rw=randwrite", "--bs=64k", "--size=4m", "--norandommap", "--io_size=8m", "--zone_reset_frequency=0.1", "--zone_reset_threshold=0.5"], 8 * ZONE, 6, 12),
    (["--rw=randwrite", "--bs=64k", "--size=4m", "--norandommap", "--io_size=8m", "--max_open_zones=2", "--job_max_open_zones=1"], 8 * ZONE, 3, 8),
    (["--rw=randwrite", "--bs=64k", "--size=4m", "--norandommap", "--io_size=16m", "--ioengine=libaio", "--iodepth=8", "--direct=1"], 16 * ZONE, 8, 16),
]


def own_effects(checks):
    for words, written, least, most in OWN:
        rc, moved, resets, ios, text = run(compare.fio_link(), words)
        checks.equal(f"{name_of(words)}: exit status", rc, 0)
        checks.equal(f"{name_of(words)}: bytes", moved["write"], written)
        checks.check(f"{name_of(words)}: resets", least <= resets <= most, resets)
        checks.equal(f"{name_of(words)}: the laws of zones", laws(ios), None)


def several_jobs(checks):
    """Processes and threads share the zones of a file: no two write to one place, and no zone has a hole."""
    for thread in ([], ["--thread"]):
        name, pattern = f"several jobs {thread}", 0xab
        with compare.workspace() as cwd:
            compare.fill(cwd, {"F": bytes(16 << 20)})
            outcome = compare.execute([compare.fio_link(), "--output-format=json", "--name=a", "--filename=F", "--zonemode=zbd", "--zonesize=1m", "--direct=1", "--bs=64k",
                                       "--rw=randwrite", "--size=16m", "--norandommap", "--numjobs=3", "--io_size=2m", "--ioengine=libaio", "--iodepth=4",
                                       "--group_reporting", f"--buffer_pattern={pattern:#x}", *thread], cwd)
            data = (pathlib.Path(cwd) / "F").read_bytes()
        checks.check(f"{name}: runs", outcome.rc == 0 and outcome.report, outcome.stderr)
        zones = [data[at:at + ZONE] for at in range(0, len(data), ZONE)]
        ends = [len(zone.rstrip(b"\0")) for zone in zones]
        before = [zone.count(pattern) for zone in zones]
        checks.check(f"{name}: the written part of a zone has no hole", all(zone[:end].count(pattern) == end for zone, end in zip(zones, ends)), (ends, before))
        resets = outcome.report["fathom"]["jobs"][0]["zone_resets"] if outcome.report else None
        checks.equal(f"{name}: each write has a place of its own, and no zone is reset", (sum(ends), resets), (6 * ZONE, 0))


def main():
    compare.need_fio()
    checks = compare.Checks()
    with ThreadPoolExecutor(2) as pool:
        jobs = [(same, words) for words in SAME] + [(similar, words) for words in RANDOM] + [(refused, *row) for row in REFUSED]

        def one(job):
            some = compare.Checks(names=[])
            job[0](some, *job[1:])
            return some

        for some in pool.map(one, [job for job in jobs if checks.wanted(name_of(job[1]))]):
            checks.count += some.count
            checks.failed += some.failed
    if compare.is_fathom():
        own_effects(checks)
        several_jobs(checks)
    checks.done()


main()

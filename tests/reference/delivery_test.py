# label: timing
# timeout: 200
# alone: what was asked for must be delivered in time
"""Asked against delivered, on real runs: each doubt where it is due, and none on jobs that did what was asked."""
import json

import compare
import places

K = 1024


def run(checks, name, *words):
    with compare.workspace() as cwd:
        outcome = compare.execute([compare.FATHOM, "run", "--audit=off", "--output-format=json", "--name=j", *words], cwd)
    if not checks.check(f"{name}: runs", outcome.rc == 0, outcome.stderr):
        return None, set()
    fathom = json.loads(outcome.stdout)["fathom"]
    job = fathom["jobs"][0]
    return {**job["delivery"], "issued_ios": job.get("read", {}).get("issued_ios")}, {f["id"] for f in fathom["findings"] if f["id"].startswith("delivery.")}


def expect(checks, name, wanted, *words):
    delivery, found = run(checks, name, *words)
    checks.equal(f"{name}: findings", found, wanted)
    return delivery or {}


def without_files(checks):
    null = ["--ioengine=null", "--size=256m"]
    split = expect(checks, "bssplit", set(), *null, "--rw=randread", "--bssplit=4k/60:16k/25:64k/15")
    shares = {s["low_bytes"]: s["delivered_percent"] for s in split["block_sizes"]["read"]}
    for size, share in ((4 * K, 60), (16 * K, 25), (64 * K, 15)):
        checks.check(f"bssplit: {size} near {share} %", abs(shares[size] - share) < 1.5, shares)
    expect(checks, "bssplit that is rounded", {"delivery.sizes"}, *null, "--rw=randread", "--bssplit=4k/50:6k/50")
    expect(checks, "bsrange", set(), *null, "--rw=randread", "--bsrange=4k-64k")
    mix = expect(checks, "mix", set(), *null, "--rw=randrw", "--rwmixread=70")
    checks.check("mix: near 70 %", abs(mix["read_percent"] - 70) < 1, mix)
    timed = ["--ioengine=null", "--size=1g", "--time_based", "--runtime=1", "--ramp_time=300ms", "--rw=randread"]
    ramped = expect(checks, "bsrange after a ramp", set(), *timed, "--bsrange=4k-16k")
    ios = sum(s["ios"] for s in ramped["block_sizes"]["read"])
    checks.equal("bsrange after a ramp: what was issued in the measured time is counted, and nothing else", ios, ramped["issued_ios"])
    paced = expect(checks, "paced", set(), *timed, "--iodepth=16", "--rate_iops=20000")
    checks.check("paced: the depth is not asked of it", paced["mean_depth"] < 8, paced)


def with_files(checks):
    file = ["--filename=f", "--size=16m", "--rw=randread"]
    expect(checks, "a depth that psync has not", {"delivery.synchronous"}, *file, "--ioengine=psync", "--iodepth=32", "--number_ios=10")
    deep = expect(checks, "a deep queue", set(), *file, "--ioengine=libaio", "--direct=1", "--iodepth=16", "--time_based", "--runtime=1")
    checks.check("a deep queue: mean depth", 14.4 <= deep["mean_depth"] <= 16.1, deep)
    checks.check("a deep queue: it was looked at", deep["depth_samples"] >= 10 and deep["full_depth_samples"] > 0, deep)
    low = expect(checks, "as deep as it may be", set(), *file, "--ioengine=libaio", "--direct=1", "--iodepth=16", "--iodepth_low=2")
    checks.check("as deep as it may be: counted all the same", low["mean_depth"] > 1, low)
    writes = ["--filename=f", "--size=4m", "--rw=write", "--ioengine=psync"]
    expect(checks, "buffered writes", {"delivery.unsynced"}, *writes)
    for word in ("--end_fsync=1", "--fsync=64", "--direct=1", "--sync=1"):
        expect(checks, f"writes with {word}", set(), *writes, word)
    verified = expect(checks, "a mix that is verified", set(), "--filename=f", "--size=8m", "--rw=randrw", "--ioengine=psync", "--verify=crc32c", "--direct=1")
    checks.check("a mix that is verified: has no share of reads", "read_percent" not in verified, verified)
    synced = ["--filename=f", "--size=256m", "--bs=16k", "--rw=write", "--ioengine=io_uring", "--iodepth=8"]
    expect(checks, "the depth is not asked of the sync at the end", set(), *synced, "--end_fsync=1")
    expect(checks, "a group of two engines", set(), "--filename=f", "--size=8m", "--rw=randread", "--ioengine=psync", "--group_reporting",
           "--name=k", "--filename=f", "--size=8m", "--rw=randread", "--ioengine=libaio", "--direct=1", "--iodepth=4", "--group_reporting")
    expect(checks, "a group of which one is not synced", {"delivery.unsynced"}, *writes, "--group_reporting", "--name=k", "--directory=/dev/shm",
           "--size=1m", "--rw=write", "--unlink=1", "--ioengine=psync", "--group_reporting")
    expect(checks, "a mapped file", set(), *file, "--ioengine=mmap", "--direct=1")
    expect(checks, "a tail that holds no block", {"delivery.coverage"}, "--filename=f", "--size=8390000", "--rw=read", "--ioengine=psync")
    expect(checks, "runtime ends it", set(), "--ioengine=null", "--size=100t", "--rw=read", "--runtime=1")


def places_that_are_smaller(checks):
    with places.loop_device("16m") as device:
        expect(checks, "size=100g of 16 MiB", {"delivery.window"}, f"--filename={device}", "--size=100g", "--rw=read", "--ioengine=psync")
        expect(checks, "a device as it is", set(), f"--filename={device}", "--rw=read", "--ioengine=psync", "--direct=1")
    with places.small_tmpfs("8m") as where:
        job = [f"--directory={where}", "--size=4m", "--rw=randread", "--ioengine=psync"]
        expect(checks, "direct=1 on tmpfs", {"delivery.direct_ignored"}, *job, "--direct=1")
        expect(checks, "direct=1 on tmpfs, removed", {"delivery.direct_ignored"}, *job, "--direct=1", "--unlink=1")
        expect(checks, "direct=0 on tmpfs", set(), *job)


def main():
    compare.need_fathom()
    places.need()
    checks = compare.Checks()
    without_files(checks)
    with_files(checks)
    places_that_are_smaller(checks)
    checks.done()


main()

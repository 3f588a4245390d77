# Holds what fathom accepts and refuses against Debian's fio on job files and command lines, and --showcmd's text against fio's. The lists below are what
# fio 3.33 says; FATHOM_FIO=live asks it again. Its --showcmd texts are recorded (tests/reference/recorded.py).
# label: test
# timeout: 900
# cost: 4
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reference"))
import recorded  # noqa: E402

FATHOM = os.environ.get("FATHOM", "")
FIO = recorded.FIO
PROGRAMS = (FIO, FATHOM) if recorded.LIVE else (FATHOM,)

# Lines of a one-job file on which both must agree.
BOTH_ACCEPT = [
    "bs=4k", "bs=4k,8k", "bs=,8k", "bs=1k,,8k", "blocksize=4096B", "bs=0x1000", "bsrange=1k-4k", "bsrange=1k:4k",
    "bsrange=1k-4k,8k-16k", "bssplit=4k/50:8k/30:16k", "bssplit=4k/33:8k/33:16k/33", "bssplit=4k/:8k/", "rw=randread:8",
    "rw=read:4k", "rw=trimwrite", "readwrite=readwrite", "size=50%", "size=100%%", "size=1g", "io_size=50%", "io_limit=1m", "offset=10%",
    "fileoffset=4k", "offset_increment=5%", "filesize=1k-4k", "runtime=10s", "timeout=500ms", "runtime=1d", "startdelay=1-3",
    "ramp_time=2s", "thinktime=5ms", "percentile_list=50:99:99.9", "percentile_list=99:50", "random_distribution=zipf:1.2",
    "random_distribution=zipf:1.2:0.3", "random_distribution=pareto:0.2", "random_distribution=normal:10",
    "random_distribution=zoned:50/5:50/95", "random_distribution=zoned_abs:50/1g:50/2g", "cpus_allowed=0", "cpus_allowed=0-0",
    "rate=1m,500k", "rate_iops=1000,,5", "fallocate=1", "fallocate=keep", "sync=dsync", "sync=1", "direct=1", "stonewall",
    "stonewall=0", "thread=1", "wait_for_previous=1", "time_based\nruntime=1", "norandommap=0", "number_ios=10k", "loops=2",
    "loops=0", "nrfiles=0", "bwavgtime=0", "iopsavgtime=0", "thinktime_blocks=0",
    "iodepth=16\niodepth_batch=0", "iodepth_batch_complete=8", "iodepth_batch_submit=2", "verify=0",
    "rw=write\nverify=crc32c", "rw=randwrite\nverify=crc32c-intel\ndo_verify=0\nverify_fatal=1", "rw=write\nverify=crc32c\nverify_interval=512",
    "rw=write\nverify=crc32c\nverify_only", "description=hello",
    "clocksource=clock_gettime", "rwmixread=70\nrwmixwrite=20", "buffered=1\ndirect=1", "kb_base=1000\nbs=4k", "numjobs=3",
    "ioengine=io_uring\nfixedbufs\nhipri", "fixedbufs=1\nioengine=io_uring", "ioengine=libaio\nuserspace_reap",
    "ioengine=pvsync2\nhipri\nhipri_percentage=30", "gtod_reduce=1", "unlink=1", "disable_bw=1", "filename=a:b", "size=8*$pagesize",
    "blocksize_range=1k-2k", "rw_sequencer=identical", "cpus_allowed_policy=split", "exitall", "new_group", "allrandrepeat=1",
    "threads=1", "nice=0", "fadvise_hint=1", "openfiles=1", "mem_align=0", "per_job_logs=1", "log_avg_msec=500", "lockmem=0", "error_dump=0",
    "numa_mem_policy=default", "flow=0", "latency_target=0", "max_latency=0", "zonesize=0", "file_service_type=roundrobin", "write_hint=none",
    "ioengine=io_uring_cmd\nnonvectored=1\nfilename=/dev/ng0n1", "ioengine=io_uring\nuncached=0\nnowait=0", "ioengine=libaio\ncmdprio_percentage=0",
    "softrandommap=1", "unit_base=8", "create_serialize=0", "filename_format=f.$jobnum.$filenum", "bs=4k ; comment", "bs=4k # comment",
]
BOTH_REFUSE = [
    "bs=abc", "bs=0", "bs", "bs=", "rw=randred", "iodepth=0", "iodepth=abc", "direct=2", "direct=yes", "direct", "thread=",
    "time_based=x", "rwmixread=101", "io_size=150%", "percentile_list=101", "bsrange=4k", "fallocate=foo", "clocksource=foo",
    "sync=maybe", "randrepeat=2", "random_distribution=zipf:1", "random_distribution=pareto:2", "random_distribution=zoned:50/5",
    "random_distribution=zoned:50/5:40/95", "FOO=1", "BS=4k", "unlink", "bs=99999999999999999999", "hipri\nioengine=psync",
    "size=${FATHOM_TEST_NOT_SET}",
]
# fio takes these for something that nobody meant; fathom refuses them.
ONLY_FIO = ["bs=4x", "bs=4q", "bs=4k8", "size=150%", "runtime=10q", "runtime=1m30s", "size=524z", "rwmixread=70%", "bssplit=4k/50:8k/60", "loops=2x", "thread=2"]

SHOWCMD = [
    "[x]\nbs=4k\nstonewall\n[y]\nrw=randread\nnumjobs=3\n",
    "[global]\nbs=4k\nthread\n[x]\nrw=read\n",
    "[a]\nbs=4k\n[a]\nbs=8k\n",
]


def run(program, *args):
    return subprocess.run([program, *args], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)


def accepts(program, text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "t.fio")
        with open(path, "w") as f:
            f.write(text)
        r = run(program, "--parse-only", path)
    said = r.stdout + r.stderr
    return r.returncode == 0 and "dropped" not in said and "failed" not in said


def showcmd(program, text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "s.fio")
        with open(path, "w") as f:
            f.write(text)
        return run(program, "--parse-only", "--showcmd", path).stdout.split()


def wrong_verdicts(row):
    lines, by_fio, by_fathom = row
    return [f"{program} should {'accept' if want else 'refuse'}: {lines!r}" for program, want in ((FIO, by_fio), (FATHOM, by_fathom))
            if program in PROGRAMS and accepts(program, f"[a]\n{lines}\n") != want]


def main():
    for program in PROGRAMS:
        if not os.access(program, os.X_OK):
            print(f"skipped: no {program or 'FATHOM'}")
            return 77
    expected = [(l, True, True) for l in BOTH_ACCEPT] + [(l, False, False) for l in BOTH_REFUSE] + [(l, True, False) for l in ONLY_FIO]
    with ThreadPoolExecutor(2) as pool:
        wrong = [text for found in pool.map(wrong_verdicts, expected) for text in found]
    for text in SHOWCMD:
        ours, theirs = showcmd(FATHOM, text), recorded.answer(f"--showcmd of {text}", lambda: showcmd(FIO, text))
        if ours != theirs:
            wrong.append(f"--showcmd of {text!r}: {ours} is not fio's {theirs}")
    print("\n".join(wrong) or f"{len(expected)} verdicts and {len(SHOWCMD)} --showcmd texts agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

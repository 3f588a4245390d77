"""What the tests of --breakdown share: devices of their own that are always taken away again, and a run's split as numbers."""
import contextlib
import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ["FATHOM_SOURCE"], "tests", "house"))
from attempts import until_clean  # noqa: E402, F401

FATHOM = os.environ["FATHOM"]
BLKIO = "/sys/fs/cgroup/blkio"
PARTS = ("submit", "queue", "device", "completion")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def need_tracepoints():
    if os.environ.get("FATHOM_SANITIZE"):
        skip("times under a sanitizer are not fathom's")
    if os.geteuid() != 0:
        skip("system-wide tracepoints need root here")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        path = os.path.join(directory, "f")
        with open(path, "wb") as f:
            f.write(bytes(1 << 20))
        found = run([f"--filename={path}", "--size=1m", "--number_ios=4"])["fathom"]["breakdown"]
        if not found["classes"]:
            skip(found["cause"])


def run(options, before=(), meanwhile=contextlib.nullcontext):
    return json_of([*before, FATHOM, "run", "--name=t", "--rw=randread", "--bs=4k", "--direct=1", "--ioengine=psync", "--audit=off", "--clock-check=skip",
                    "--breakdown", "--output-format=json+", *options], meanwhile)


def json_of(argv, meanwhile=contextlib.nullcontext):
    """What a command prints. meanwhile: a block of its process, entered when it has begun and left when it has ended."""
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as job, meanwhile(job):
        try:
            out, errors = job.communicate()
        finally:
            job.terminate()
    if job.returncode != 0:
        sys.exit(f"{' '.join(argv)}: exit status {job.returncode}\n{errors[-2000:]}")
    return json.loads(out)


def classes(result):
    return {c["direction"]: c for c in result["fathom"]["breakdown"]["classes"]}


def p50(latency):
    return latency["percentiles_ns"]["50.000000"]


def band_faults(c):
    """What is wrong with the sums of a class's four bands, in words; nothing: they add up."""
    bands, faults = c["bands"], []
    if [band["name"] for band in bands] != ["p0-50", "p50-99", "p99-99.9", "above p99.9"]:
        return [f"bands are {[band['name'] for band in bands]}"]
    if abs(sum(band["time_share"] for band in bands) - 1) > 1e-6:
        faults.append(f"their time is {[band['time_share'] for band in bands]}")
    if [band["from_ns"] for band in bands] != sorted(band["from_ns"] for band in bands):
        faults.append("they do not rise")
    more = c["outside_ns"] / c["whole"]["sum_ns"]  # parts whose events lie outside add up to more than the whole
    for band in bands:
        if band["told"] and not -1e-6 < sum(band["share"].values()) - 1 < 1e-6 + 1000 * more:
            faults.append(f"{band['name']}: its parts add up to {sum(band['share'].values()):.6f}")
    if abs(sum(band["ios"] for band in bands) - c["matched"]) > 4:
        faults.append(f"{[band['ios'] for band in bands]} I/Os of {c['matched']}")
    return faults


@contextlib.contextmanager
def scratch_file(mib=64):
    directory = tempfile.mkdtemp(dir="/var/tmp")
    try:
        path = os.path.join(directory, "f")
        with open(path, "wb") as f:
            for _ in range(mib):
                f.write(os.urandom(1 << 20))
            os.fsync(f.fileno())
        yield path
    finally:
        shutil.rmtree(directory)


@contextlib.contextmanager
def loop_device(path, *options):
    done = subprocess.run(["losetup", "--find", "--show", *options, path], capture_output=True, text=True)
    if done.returncode != 0:
        yield None
        return
    device = done.stdout.strip()
    try:
        yield device
    finally:
        subprocess.run(["losetup", "--detach", device], check=False)


def remove_zram(number):
    """Whoever looks into all block devices (blkid, udev) has it open for an instant: then EBUSY."""
    end = time.monotonic() + 5
    while True:
        try:
            with open("/sys/class/zram-control/hot_remove", "w", encoding="ascii") as f:
                f.write(number)
            return
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() > end:
                raise
            time.sleep(0.01)


@contextlib.contextmanager
def zram_device(mib=64):
    control = "/sys/class/zram-control"
    try:
        with open(f"{control}/hot_add", encoding="ascii") as f:
            number = f.read().strip()
    except OSError:
        yield None
        return
    try:
        with open(f"/sys/block/zram{number}/disksize", "w", encoding="ascii") as f:
            f.write(f"{mib}M")
        with open(f"/dev/zram{number}", "wb") as f:
            for _ in range(mib):
                f.write(os.urandom(1 << 20))
        yield f"/dev/zram{number}"
    finally:
        remove_zram(number)


@contextlib.contextmanager
def setting(path, value):
    before = text_of(path)
    with open(path, "w", encoding="ascii") as f:
        f.write(str(value))
    try:
        yield
    finally:
        with open(path, "w", encoding="ascii") as f:
            f.write(before)


def text_of(path):
    with open(path, encoding="ascii") as f:
        return f.read().strip()


def number_of(device):
    return text_of(f"/sys/class/block/{os.path.basename(device)}/dev")


def read_ns(device):
    """What its reads took from their requests on, by the kernel's own account (Documentation/block/stat.rst)."""
    return int(text_of(f"/sys/block/{os.path.basename(device)}/stat").split()[3]) * 1e6


def limit(group, device, iops):
    with open(f"{group}/blkio.throttle.read_iops_device", "w", encoding="ascii") as f:
        f.write(f"{number_of(device)} {iops}")


def inside(group):
    """A command that moves into the group, and becomes what follows."""
    return ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"]


@contextlib.contextmanager
def limited(device, iops):
    """A command that moves into a group of so many reads a second from the device, and becomes what follows; None without cgroup v1."""
    with blkio_group() as group:
        if group is not None:
            limit(group, device, iops)
        yield None if group is None else inside(group)


@contextlib.contextmanager
def blkio_group():
    """Its folder; None without cgroup v1."""
    if not os.path.exists(f"{BLKIO}/blkio.throttle.read_iops_device"):
        yield None
        return
    with group_of(BLKIO) as group:
        yield group


@contextlib.contextmanager
def group_of(controller):
    """A group of our own of cgroup v1, gone again when nobody is in it any more."""
    group = f"{controller}/fathom_test_{os.getpid()}"
    os.mkdir(group)
    try:
        yield group
    finally:
        for _ in range(100):
            try:
                os.rmdir(group)
                break
            except OSError:
                time.sleep(0.05)

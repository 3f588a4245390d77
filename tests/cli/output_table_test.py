# label: test
# timeout: 300
# cost: 40
"""What every command does to the file that an option names as its output: command x what FILE is. A row holds when the exit status is the expected one
and FILE is as expected, and when nothing beside FILE has changed. The files lie on a tmpfs of this test's own; block devices are loop devices."""
import contextlib
import ctypes
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import threading

FATHOM = os.environ["FATHOM"]
FIO = os.path.join(os.path.dirname(FATHOM), "fio")
SIM = ["--name=x", "--ioengine=sim", "--rw=randread", "--size=1m", "--number_ios=20", "--eta=never", "--clock-check=skip", "--audit=off"]
FOREIGN = b"127.0.0.1 localhost\nnot a report of fathom\n"

failures = []
rows = 0


def check(condition, what, shown=""):
    if condition:
        return
    print(f"FAIL {what}: {shown}")
    failures.append(what)


def call(*argv, **how):
    return subprocess.run([str(word) for word in argv], capture_output=True, text=True, timeout=60, check=False, **how)


# The command, with FILE as its output. `cwd` has r.json, p.xml and job.fio of ours.
COMMANDS = {
    "run --output": lambda f: [FATHOM, "run", *SIM, f"--output={f}"],
    "run --report": lambda f: [FATHOM, "run", *SIM, f"--report={f}"],
    "run --live=json": lambda f: [FATHOM, "run", *SIM, "--ioengine=null", "--time_based", "--runtime=1100ms", "--output=/dev/null", f"--live=json:{f}"],
    "run --live=metrics-keep": lambda f: [FATHOM, "run", *SIM, "--ioengine=null", "--time_based", "--runtime=1100ms", f"--live=metrics-keep:{f}"],
    "report -o": lambda f: [FATHOM, "report", "r.json", "-o", f],
    "compare --output": lambda f: [FATHOM, "compare", "r.json", "r.json", f"--output={f}"],
    "paging --import": lambda f: [FATHOM, "paging", "--import=p.xml", f"--output={f}"],
    "pmu stat -o": lambda f: [FATHOM, "pmu", "stat", "-e", "task-clock", "-o", f, "true"],
    "clock test --report": lambda f: [FATHOM, "clock", "test", "--entries=1000", f"--report={f}"],
    "fio --output": lambda f: [FIO, *SIM, f"--output={f}"],
}
# fio overwrites regular files.
OVERWRITES = {"fio --output"}


def snapshot(path):
    """What a later look must find again; a device by its content."""
    facts = os.lstat(path)
    kind = stat.S_IFMT(facts.st_mode)
    if kind == stat.S_IFREG:
        with open(path, "rb") as f:
            return kind, facts.st_ino, f.read()
    if kind == stat.S_IFLNK:
        return kind, facts.st_ino, os.readlink(path)
    if kind == stat.S_IFBLK:
        with open(path, "rb") as f:
            return kind, facts.st_rdev, f.read(1 << 20)
    return kind, facts.st_ino, None


def written(path):
    return os.path.isfile(path) and os.path.getsize(path) > 0


class Kind:
    """What FILE is. make(folder) -> path; the outcome: "written", "refused" (status 2), "error" (any other failure), "passed on" (to its reader)."""

    def __init__(self, name, make, outcome, by_fio=None):
        self.name, self.make, self.outcome, self.by_fio = name, make, outcome, by_fio or outcome


def file_of(content, name="f"):
    def make(folder):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(content)
        return os.path.join(folder, name)
    return make


def link_to(make, folder_mode=0o755):
    def made(folder):
        inner = os.path.join(folder, "of links")
        os.mkdir(inner)
        target = make(folder)
        os.symlink(target, os.path.join(inner, "link"))
        os.chmod(inner, folder_mode)
        return os.path.join(inner, "link")
    return made


def missing(folder):
    return os.path.join(folder, "new")


def fifo(folder):
    os.mkfifo(os.path.join(folder, "fifo"))
    return os.path.join(folder, "fifo")


def bound_socket(folder):
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(os.path.join(folder, "s"))
    return os.path.join(folder, "s")


def directory(folder):
    os.mkdir(os.path.join(folder, "d"))
    return os.path.join(folder, "d")


def same_as(name):
    return lambda folder: os.path.join(os.path.dirname(folder), name)


OURS = b"  measured randread, 4 KiB, sim, 2 ms\n"
KINDS = [
    Kind("missing", missing, "written"),
    Kind("empty", file_of(b""), "written"),
    Kind("ours", file_of(OURS), "written"),
    Kind("foreign", file_of(FOREIGN), "refused", "written"),
    Kind("link to ours", link_to(file_of(OURS)), "written"),
    Kind("link to foreign", link_to(file_of(FOREIGN)), "refused", "written"),
    Kind("dangling link", link_to(missing), "written"),
    Kind("link in a sticky directory", link_to(missing, 0o1777), "refused"),
    Kind("directory", directory, "error"),
    Kind("socket", bound_socket, "refused"),
    Kind("pipe without a reader", fifo, "refused"),
    Kind("/dev/null", lambda folder: "/dev/null", "passed on"),
    Kind("interface of the kernel", lambda folder: "/proc/self/comm", "refused"),
]


def tree(folder):
    return sorted(os.path.join(at, name) for at, folders, files in os.walk(folder) for name in [*folders, *files])


def one_row(command, kind, work):
    global rows
    rows += 1
    what = f"{command}, FILE is {kind.name}"
    with tempfile.TemporaryDirectory(dir=work) as folder:
        path = kind.make(folder)
        real = os.path.realpath(path)
        before = {p: snapshot(p) for p in {path, real} if os.path.lexists(p)}
        names = tree(folder)
        done = call(*COMMANDS[command](path), cwd=work)
        outcome = kind.by_fio if command in OVERWRITES else kind.outcome
        refused = 1 if command in OVERWRITES else 2
        statuses = {"written": {0}, "passed on": {0}, "refused": {refused}, "error": {1, 2, 3, 4}}[outcome]
        # A pass of the clock test on a machine whose clock fails ends with 1, and has written its page.
        if command.startswith("clock test") and outcome in ("written", "passed on"):
            statuses = {0, 1}
        check(done.returncode in statuses, f"{what}: exit status {done.returncode}, {outcome}", done.stderr[-600:])
        if outcome == "written":
            check(written(real) and snapshot(real)[2] not in (OURS, FOREIGN), f"{what}: it holds the output")
            check(path == real or os.path.islink(path), f"{what}: the link stays a link")
            check(set(tree(folder)) == set(names) | {real}, f"{what}: nothing beside it", tree(folder))
        else:
            for p, facts in before.items():
                check(os.path.lexists(p) and snapshot(p) == facts, f"{what}: {p} is as it was")
            check(tree(folder) == names, f"{what}: nothing new", tree(folder))


def block_devices(work):
    """Not mounted, and mounted; reached by its name, through a link, and by an open descriptor."""
    global rows
    image = os.path.join(work, "image")
    with open(image, "wb") as f:
        f.truncate(16 << 20)
    device = call("losetup", "--show", "-f", image).stdout.strip()
    if not device:
        print("     no loop device here: block devices were not tried")
        return
    try:
        call("mkfs.ext4", "-q", "-F", device)
        mounted = os.path.join(work, "mounted")
        os.mkdir(mounted)
        for state in ("not mounted", "mounted"):
            if state == "mounted" and call("mount", "-o", "ro,noload", device, mounted).returncode != 0:
                continue
            before = snapshot(device)
            for command, argv in COMMANDS.items():
                rows += 1
                done = call(*argv(device), cwd=work)
                check(done.returncode == (1 if command in OVERWRITES else 2) and "block device" in done.stderr, f"{command}, FILE is a block device, {state}", done.stderr[-600:])
            for option in ("--write_bw_log=x", "--ioengine=exec --program=/bin/true"):
                rows += 1
                name = {"--write_bw_log=x": "x_bw.1.log"}.get(option, "x.stdout")
                os.symlink(device, os.path.join(work, name))
                done = call(FATHOM, "run", *SIM, *option.split(), cwd=work)
                os.unlink(os.path.join(work, name))
                check(done.returncode != 0 and "block device" in done.stdout + done.stderr, f"{option}, a block device, {state}", done.stdout[-300:] + done.stderr[-600:])
            rows += 1
            done = call(FATHOM, "run", *SIM, "--ioengine=psync", "--rw=read", f"--mem=mmapshared:{device}", "--filename=t", "--size=64k", cwd=work)
            check("block device" in done.stdout + done.stderr, f"mem=mmapshared:, a block device, {state}", done.stderr[-600:])
            with open(device, "r+b") as f:
                rows += 1
                done = call(FATHOM, "run", *SIM, f"--output=/dev/fd/{f.fileno()}", cwd=work, pass_fds=[f.fileno()])
                check(done.returncode == 2 and "block device" in done.stderr, f"--output=/dev/fd/N, a block device, {state}", done.stderr[-600:])
            check(snapshot(device) == before, f"the device, {state}, is as it was")
    finally:
        call("umount", device)
        call("losetup", "-d", device)


def one_file_twice(work):
    """An output that is also an input, a target, or another output."""
    global rows
    cases = [
        ([FATHOM, "report", "r.json", "-o", "r.json"], "r.json"),
        ([FATHOM, "report", "r.json", "-o", "./second name"], "r.json"),
        ([FATHOM, "compare", "r.json", "r2.json", "--output=r2.json"], "r2.json"),
        ([FATHOM, "paging", "--import=p.xml", "--output=p.xml"], "p.xml"),
        ([FATHOM, "run", "job.fio", "--output=job.fio"], "job.fio"),
        ([FATHOM, "run", "including.fio", "--output=options.inc"], "options.inc"),
        ([FATHOM, "run", *SIM, "--output=same", "--report=same"], None),
        ([FATHOM, "run", *SIM, "--output=same", "--live=json:same"], None),
        ([FATHOM, "run", *SIM, "--write_bw_log=x", "--output=x_bw.1.log"], None),
        ([FATHOM, "run", "--name=x", "--ioengine=psync", "--rw=read", "--filename=data", "--size=64k", "--output=data"], "data"),
        ([FIO, "--name=x", "--ioengine=psync", "--rw=read", "--filename=data", "--size=64k", "--output=data"], "data"),
        ([FATHOM, "run", "--name=x", "--ioengine=psync", "--rw=read", "--filename=data", "--size=64k", "--live=metrics:data"], "data"),
        ([FATHOM, "sweep", "job.fio", "--over=iodepth=1,2", "--output=job.fio"], "job.fio"),
    ]
    os.link(os.path.join(work, "r.json"), os.path.join(work, "second name"))
    shutil.copy(os.path.join(work, "r.json"), os.path.join(work, "r2.json"))
    with open(os.path.join(work, "data"), "wb") as f:
        f.write(b"d" * 65536)
    with open(os.path.join(work, "including.fio"), "w", encoding="utf-8") as f:
        f.write("[global]\ninclude options.inc\n[x]\nioengine=sim\nrw=randread\nsize=1m\nnumber_ios=20\n")
    with open(os.path.join(work, "options.inc"), "w", encoding="utf-8") as f:
        f.write("bs=4k\n")
    for argv, kept in cases:
        for force in ([], ["--force"])[:1 if argv[0] == FIO else 2]:
            rows += 1
            before = snapshot(os.path.join(work, kept)) if kept else None
            done = call(*argv, *force, cwd=work)
            what = " ".join([os.path.basename(argv[0]), *argv[1:], *force])
            check(done.returncode == (1 if argv[0] == FIO else 2) and "is also" in done.stderr, f"{what}: refused", done.stderr[-600:])
            check(kept is None or snapshot(os.path.join(work, kept)) == before, f"{what}: {kept} is as it was")
            check(not os.path.exists(os.path.join(work, "same")), f"{what}: nothing was made")


def forced(work):
    global rows
    for command, argv in COMMANDS.items():
        if command in OVERWRITES:
            continue
        rows += 1
        path = file_of(FOREIGN, "forced")(work)
        done = call(*[argv(path)[0], *argv(path)[1:2], *(["stat"] if "stat" in argv(path)[2:3] else ["test"] if "test" in argv(path)[2:3] else []), "--force",
                      *[w for i, w in enumerate(argv(path)) if i > 1 and not (i == 2 and w in ("stat", "test"))]], cwd=work)
        check(snapshot(path)[2] != FOREIGN, f"{command} --force: overwritten", done.stderr[-600:])
        os.unlink(path)


def pipes(work):
    """A reader gets all of it; what stands behind /dev/fd/N is neither emptied nor replaced."""
    global rows
    for command, argv in COMMANDS.items():
        rows += 1
        path = fifo(tempfile.mkdtemp(dir=work))
        got = []
        reader = threading.Thread(target=lambda p=path, g=got: g.append(open(p, "rb").read()))
        reader.start()
        done = call(*argv(path), cwd=work)
        reader.join(20)
        check(got and got[0] and stat.S_ISFIFO(os.lstat(path).st_mode), f"{command}, a pipe: its reader has the output", done.stderr[-600:])
    path = file_of(b"before\n", "appended")(work)
    with open(path, "ab") as f:
        subprocess.run([FATHOM, "run", *SIM, "--output=/dev/stdout"], stdout=f, stderr=subprocess.DEVNULL, cwd=work, timeout=60, check=False)
    with open(path, "rb") as f:
        text = f.read()
    rows += 1
    check(text.startswith(b"before\n") and b"measured" in text, "--output=/dev/stdout >>FILE: behind what was there", text[:200])


def full_disk(work):
    """The old report stays, nothing beside it, and the new one is on standard output."""
    global rows
    small = os.path.join(work, "small")
    os.mkdir(small)
    if call("mount", "-t", "tmpfs", "-o", "size=64k", "none", small).returncode != 0:
        return
    try:
        old = file_of(OURS, "old")(small)
        with contextlib.suppress(OSError), open(os.path.join(small, "filler"), "wb", buffering=0) as f:
            while True:
                f.write(b"x" * 4096)
        for path in (old, os.path.join(small, "new")):
            rows += 1
            before = snapshot(path) if os.path.exists(path) else None
            done = call(FATHOM, "report", "r.json", "--output-format=json", "-o", path, cwd=work)
            check(done.returncode == 4 and done.stdout.startswith("{"), f"full disk, {os.path.basename(path)}: status, and the report on standard output", done.stderr[-400:])
            check((snapshot(path) if os.path.exists(path) else None) == before, f"full disk, {os.path.basename(path)}: as before")
        rows += 1
        done = call(FATHOM, "run", *SIM, "--ioengine=null", "--time_based", "--runtime=1100ms", "--output=/dev/null", f"--live=json:{small}/live", cwd=work)
        check(done.returncode == 4 and "live" in done.stderr, "full disk, --live=json: said, status 4", done.stderr[-400:])
        check(sorted(os.listdir(small))[:2] == ["filler", "live"] or sorted(os.listdir(small))[0] == "filler", "full disk: no temporary file", os.listdir(small))
    finally:
        call("umount", small)


def neighbours(work):
    """A user's FILE.new, and whatever has a likely name."""
    global rows
    rows += 1
    names = [file_of(FOREIGN, name)(work) for name in ("rep.new", "rep.tmp", ".rep.swp", "rep~")]
    file_of(OURS, "rep")(work)
    call(FATHOM, "report", "r.json", "-o", "rep", cwd=work)
    check(all(snapshot(name)[2] == FOREIGN for name in names), "a user's files beside the report stay")


def logs(work):
    """fio's rule for regular files; a job's name is no path."""
    global rows
    rows += 2
    below = os.path.join(work, "a", "b", "c")
    os.makedirs(below)
    argv = ["--name=../../../x" if word == "--name=x" else word for word in SIM]
    call(FATHOM, "run", *argv, "--write_bw_log", cwd=below)
    check(not [name for name in os.listdir(work) if name.startswith("x_bw")] and any(name.endswith("_bw.1.log") for name in os.listdir(below)),
          "a job named ../../../x: its log lies in the working directory", os.listdir(below))
    path = file_of(FOREIGN, "y_bw.1.log")(work)
    call(FATHOM, "run", *SIM, "--write_bw_log=y", cwd=work)
    check(snapshot(path)[2] != FOREIGN, "write_bw_log= overwrites a regular file, as fio")


WRITES = [FATHOM, "run", "--name=x", "--ioengine=psync", "--rw=write", "--size=64k", "--eta=never", "--clock-check=skip", "--audit=off"]


def derived_names(work):
    """Files whose names follow from other options."""
    global rows
    rows += 6
    sweep = [FATHOM, "sweep", "job.fio", "--over=iodepth=1,2", "--repeat=1", "--results=swept"]
    call(*sweep, cwd=work)
    for name in ("swept/state", "swept/iodepth=2/0001.json"):
        before = snapshot(os.path.join(work, name))
        done = call(*sweep, f"--output={name}", "--force", cwd=work)
        check(done.returncode == 2 and snapshot(os.path.join(work, name)) == before, f"sweep --output={name}: refused", done.stderr[-400:])
    path = file_of(FOREIGN, "q-write_bw.log")(work)
    done = call(*WRITES, "--filename=q-write_bw.log", "--bandwidth-log=q", cwd=work)
    check(done.returncode == 2 and snapshot(path)[2] == FOREIGN, "--bandwidth-log that is a target: refused", done.stderr[-400:])
    for name, words in (("local-x-0-verify.state", ["--filename=tg", "--verify=crc32c"]),
                        ("tg.8192.received", ["--filename=tg", "--rw=read", "--verify=crc32c", "--verify_dump=1"])):
        path = os.path.join(work, name)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        os.mkfifo(path)
        if "--verify_dump=1" in words:
            with open(os.path.join(work, "tg"), "r+b") as f:
                f.seek(8400)
                f.write(b"BAD")
        done = call(*WRITES, *words, cwd=work)
        check(stat.S_ISFIFO(os.lstat(path).st_mode), f"{name}, a pipe: stays", done.stderr[-400:])
        os.unlink(path)
    with socket.socket(socket.AF_UNIX) as other:
        path = os.path.join(work, "live")
        other.bind(path)
        other.listen(1)
        done = call(FATHOM, "run", "--name=x", "--ioengine=net", "--protocol=unix", f"--hostname={path}", "--listen", "--rw=read", "--size=4k", cwd=work)
        check(done.returncode != 0 and stat.S_ISSOCK(os.lstat(path).st_mode), "a socket that another program listens at: refused", done.stderr[-400:])


def endless_inputs(work):
    """Each ends within a second or so and 64 MiB."""
    global rows
    limit = "ulimit -v 700000; exec \"$@\""
    file_of(b"[global]\ninclude /dev/zero\n", "zero.fio")(work)
    for argv in ([FATHOM, "run", "/dev/zero"], [FATHOM, "run", "zero.fio"], [FATHOM, "run", "--inflate-log=/dev/zero"], [FIO, "/dev/zero"],
                 [FATHOM, "report", "/dev/zero"], [FATHOM, "compare", "/dev/zero", "r.json"], [FATHOM, "paging", "--import=/dev/zero"],
                 [FATHOM, "paging", "--pattern=profile:/dev/zero"], [FATHOM, "sweep", "/dev/zero", "--over=iodepth=1,2"]):
        rows += 1
        done = call("/bin/sh", "-c", limit, "sh", *argv, cwd=work)
        check(done.returncode in (1, 2) and "device" in done.stderr, f"{' '.join(argv[1:])}: a device is not read", f"{done.returncode} {done.stderr[-300:]}")


def prepare(work):
    with open(os.path.join(work, "job.fio"), "w", encoding="utf-8") as f:
        f.write("[x]\nioengine=sim\nrw=randread\nsize=1m\nnumber_ios=20\n")
    call(FATHOM, "run", *SIM, "--output-format=json", "--output=r.json", cwd=work)
    done = call(FATHOM, "paging", "--map=4m", "--set=4m", "--duration=100ms", "--eta=never", "--output-format=xml", "--output=p.xml", cwd=work)
    check(os.path.exists(os.path.join(work, "r.json")) and os.path.exists(os.path.join(work, "p.xml")), "prepared", done.stderr)


def main():
    work = tempfile.mkdtemp(prefix="fathom-outputs-")
    private = os.geteuid() == 0 and ctypes.CDLL(None).unshare(0x20000) == 0 and call("mount", "--make-rprivate", "/").returncode == 0
    if private:
        call("mount", "-t", "tmpfs", "-o", "mode=755", "none", work)
    try:
        prepare(work)
        for command in COMMANDS:
            for kind in KINDS:
                one_row(command, kind, work)
        one_file_twice(work)
        forced(work)
        pipes(work)
        neighbours(work)
        logs(work)
        derived_names(work)
        endless_inputs(work)
        if private:
            full_disk(work)
            block_devices(work)
        else:
            print("     not root: block devices and a full disk were not tried")
    finally:
        if private:
            call("umount", work)
        shutil.rmtree(work, ignore_errors=True)
    print(f"{rows} rows, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

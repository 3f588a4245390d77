# label: test
# timeout: 900
# cost: 40
"""What every command does to the file that an option names as its output: command x what FILE is. A row holds when the exit status is the expected one
and FILE is as expected, and when nothing beside FILE has changed. The files lie on a tmpfs of this test's own; block devices are loop devices."""
import contextlib
import ctypes
import glob
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
    return subprocess.run([str(word) for word in argv], capture_output=True, text=True, timeout=300, check=False, **how)


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


WRITES = [FATHOM, "run", "--name=x", "--ioengine=psync", "--rw=write", "--size=64k", "--eta=never", "--clock-check=skip", "--audit=off"]
OURS = b"  measured randread, 4 KiB, sim, 2 ms\n  checks   passed\n"
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
    Kind("kernel interface", lambda folder: "/proc/self/comm", "refused"),
]


LIMIT = "" if os.environ.get("FATHOM_SANITIZE") else "ulimit -v 700000;"  # a sanitizer's shadow is larger


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
        before = snapshot(image)
        for words in ([*SIM, f"--output={image}", "--force"], [*SIM, f"--report={image}", "--force"], [*SIM, f"--live=json:{image}", "--force"],
                      [*WRITES[2:], f"--filename={image}", "--rw=read", "--unlink=1"], ["--name=x", "--ioengine=filedelete", "--rw=read", f"--filename={image}"]):
            rows += 1
            done = call(FATHOM, "run", *words, cwd=work)
            check(done.returncode == 2 and "loop" in done.stderr and snapshot(image) == before, f"{' '.join(words)}: the image of a loop device stays", done.stderr[-400:])
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
        ([FATHOM, "run", *SIM, "--write_bw_log=x", "--trigger-file=x_bw.1.log"], None),
        ([FATHOM, "run", *SIM, "--trigger-file=same", "--output=same"], None),
        ([FATHOM, "run", *SIM, "--buffer_pattern='data'", "--output=data"], "data"),
        ([FATHOM, "run", *SIM, "--dp_scheme=data", "--output=data"], "data"),
        ([FATHOM, "run", *WRITES[2:], "--filename=t", "--verify=pattern", "--verify_pattern='data'", "--output=data"], "data"),
        ([FATHOM, "run", *WRITES[2:], "--filename=t", "--buffer_pattern='data'", "--mem=mmapshared:data"], "data"),
        ([FATHOM, "run", *WRITES[2:], "--buffer_pattern='data'", "--filename=data"], "data"),
        ([FATHOM, "run", "--name=x", "--ioengine=nvme", "--rw=read", "--size=64k", "--filename=soft\\:media=file\\:data", "--output=data"], "data"),
        ([FATHOM, "run", *WRITES[2:], "--verify=crc32c", "--filename=local-x-0-verify.state"], None),
        ([FATHOM, "run", "--name=x", "--ioengine=exec", "--program=/bin/true", "--report=x.stdout"], None),
        ([FATHOM, "run", *WRITES[2:], "--verify=crc32c", "--filename=local-x-0-verify.live"], None),
        ([FATHOM, "run", *WRITES[2:], "--verify=crc32c", "--filename=t", "--report=local-x-0-verify.live"], None),
        ([FATHOM, "run", *WRITES[2:], "--ioengine=e4defrag", "--filename=t", "--donorname=donor", "--output=donor"], None),
        ([FATHOM, "run", "writes itself.fio"], "writes itself.fio"),
        ([FATHOM, "run", "deletes itself.fio"], "deletes itself.fio"),
        ([FATHOM, "run", "removes itself.fio"], "removes itself.fio"),
        ([FATHOM, "run", "grows itself.fio"], "grows itself.fio"),
        ([FATHOM, "sweep", "job.fio", "--over=iodepth=1,2", "--output=job.fio"], "job.fio"),
        ([FATHOM, "sweep", "including.fio", "--over=iodepth=1,2", "--results=of another", "--output=options.inc"], "options.inc"),
        ([FATHOM, "compare", "--run", "including.fio", "job.fio", "--output=options.inc"], "options.inc"),
        ([FATHOM, "compare", "--run", "reads.fio", "job.fio", "--output=data"], "data"),
        ([FATHOM, "compare", "--run", "writes another.fio", "job.fio"], "job.fio"),
        ([FATHOM, "sweep", "reads.fio", "--over=filename=t,data", "--results=of files", "--output=data"], "data"),
    ]
    for name, text in (("writes itself.fio", "rw=write\nfilename=writes itself.fio\n"), ("reads.fio", "rw=read\nfilename=data\n"),
                       ("deletes itself.fio", "ioengine=filedelete\nrw=read\nfilename=deletes itself.fio\n"),
                       ("removes itself.fio", "rw=read\nbs=1\nnumber_ios=1\nunlink=1\nfilename=removes itself.fio\n"),
                       ("grows itself.fio", "rw=read\nfilename=grows itself.fio\n"), ("writes another.fio", "rw=write\nfilename=job.fio\n")):
        with open(os.path.join(work, name), "w", encoding="utf-8") as f:
            f.write("[x]\nioengine=psync\nsize=4k\n" + text)
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
        before = snapshot(old)
        done = call(FATHOM, "pmu", "stat", "-e", "task-clock", "-o", old, "true", cwd=work)
        check(done.returncode == 4 and "task-clock" in done.stdout and snapshot(old) == before, "full disk, pmu stat -o: as before", f"{done.returncode} {done.stderr[-400:]}")
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


def derived_names(work):
    """Files whose names follow from other options."""
    global rows
    rows += 6
    sweep = [FATHOM, "sweep", "job.fio", "--over=iodepth=1,2", "--repeat=1", "--results=swept"]
    done = call(*sweep, cwd=work)
    check(done.returncode == 0, "a sweep of two loads", f"{done.returncode} {done.stderr[-600:]}")
    swept = sorted(os.path.relpath(path, work) for path in glob.glob(os.path.join(work, "swept", "iodepth=*", "*.json")))
    for name in ("swept/state", swept[0]):
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


def changed_without_being_named(work):
    """Buffers in files, states, files that are only looked at."""
    global rows
    rows += 13
    path = file_of(FOREIGN, "mine")(work)
    for words, status in ((["--mem=mmapshared:mine"], 2), (["--mem=mmapshared:mine", "--rw=read", "--readonly"], 2), (["--mem=mmap:mine"], None), (["--mem=mmaphuge:mine"], None)):
        done = call(*WRITES, "--filename=tg", *words, cwd=work)
        check(done.returncode == status or (status is None and done.returncode != 0), f"{words[0]}, a user's file: refused", f"{done.returncode} {done.stderr[-400:]}")
        check(snapshot(path)[2] == FOREIGN, f"{words[0]}: as it was")
    done = call(*WRITES, "--filename=tg", "--mem=mmapshared:mine", "--force", cwd=work)
    check(done.returncode == 0 and snapshot(path)[2] != FOREIGN, "mem=mmapshared: with --force", done.stderr[-400:])
    state = file_of(FOREIGN, "local-x-0-verify.state")(work)
    done = call(*WRITES, "--filename=tg", "--verify=crc32c", cwd=work)
    check(done.returncode == 2 and snapshot(state)[2] == FOREIGN, "a user's file of a state's name: refused", done.stderr[-400:])
    os.unlink(state)
    for _ in range(2):
        done = call(*WRITES, "--filename=tg", "--verify=crc32c", cwd=work)
        check(done.returncode == 0 and os.path.getsize(state) > 0, "a state of an earlier run is replaced", done.stderr[-400:])
    live = file_of(FOREIGN, "local-x-0-verify.live")(work)
    done = call(*WRITES, "--filename=tg", "--verify=crc32c", cwd=work)
    check(done.returncode == 0 and snapshot(live)[2] == FOREIGN, "a user's file of a running state's name stays", done.stderr[-400:])
    for words in (["--ioengine=e4defrag", "--donorname=mine", "--inplace=1"], ["--ioengine=e4defrag", "--donorname=mine"]):
        file_of(FOREIGN, "mine")(work)
        done = call(*WRITES, *words, "--filename=tg", cwd=work)
        check(done.returncode == 2 and snapshot(path)[2] == FOREIGN, "a user's file as a donor: refused", done.stderr[-400:])
    for words in (["--unlink=1"], ["--unlink_each_loop=1"]):
        done = call(*WRITES, "--rw=read", "--readonly", "--filename=tg", *words, cwd=work)
        check(done.returncode == 2 and os.path.exists(os.path.join(work, "tg")), f"--readonly {words[0]}: refused", done.stderr[-400:])
    short = file_of(FOREIGN, "short")(work)
    os.mkfifo(os.path.join(work, "named pipe"))
    for target in ("short", "named pipe"):
        done = call(FATHOM, "run", "--name=x", "--ioengine=filestat", "--rw=read", "--size=4k", f"--filename={target}", "--readonly", cwd=work)
        check(done.returncode == 0, f"filestat of {target}", done.stderr[-400:])
    check(snapshot(short)[2] == FOREIGN, "filestat lengthens nothing")


def readers_that_leave(work):
    """Standard output closed: whatever else is asked for is written, and the end is by SIGPIPE."""
    global rows
    for argv in ([FATHOM, "run", *SIM, "--report=page"], [FATHOM, "compare", "r.json", "r.json", "--report=page"],
                 [FATHOM, "sweep", "job.fio", "--over=iodepth=1,2", "--repeat=1", "--results=left", "--report=page"]):
        rows += 1
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run(argv, stdout=write, stderr=subprocess.PIPE, text=True, cwd=work, timeout=60, check=False)
        os.close(write)
        page = os.path.join(work, "page")
        check(done.returncode == -13 and written(page), f"{argv[1]} | true: the page is written", f"{done.returncode} {done.stderr[-400:]}")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(page)


def standard_streams(work):
    """A file behind standard input or output is an input or an output too."""
    global rows
    shutil.copy(os.path.join(work, "r.json"), os.path.join(work, "r3.json"))
    with open(os.path.join(work, "in.fio"), "w", encoding="utf-8") as f:
        f.write("[x]\nioengine=sim\nrw=randread\nsize=1m\nnumber_ios=20\n")
    for argv, name in (([FATHOM, "report", "-", "-o", "r3.json"], "r3.json"), ([FATHOM, "run", "-", "--output=in.fio", "--force"], "in.fio"), ([FIO, "-", "--output=in.fio"], "in.fio"),
                       ([FATHOM, "compare", "-", "r2.json", "--output=r3.json", "--force"], "r3.json"),
                       ([FATHOM, "paging", "--import=-", "--output=r3.json", "--force"], "r3.json")):
        rows += 1
        before = snapshot(os.path.join(work, name))
        with open(os.path.join(work, name), "rb") as f:
            done = subprocess.run(argv, stdin=f, capture_output=True, text=True, cwd=work, timeout=60, check=False)
        check(done.returncode != 0 and snapshot(os.path.join(work, name)) == before, f"{' '.join(argv[1:])} <{name}: refused", f"{done.returncode} {done.stderr[-400:]}")
    rows += 1
    with open(os.path.join(work, "both"), "wb") as f:
        done = subprocess.run([FATHOM, "run", *SIM, "--report=both"], stdout=f, stderr=subprocess.PIPE, text=True, cwd=work, timeout=60, check=False)
    check(done.returncode == 2 and "standard output" in done.stderr, "--report=FILE >FILE: refused", done.stderr[-400:])


def dashes_and_pipes(work):
    global rows
    rows += 3
    done = call(FATHOM, "report", "r.json", "-o", "-", cwd=work)
    check("measured" in done.stdout and not os.path.exists(os.path.join(work, "-")), "--output=- is standard output", done.stderr[-400:])
    call(FIO, *SIM, "--output=-", cwd=work)
    check(written(os.path.join(work, "-")), "of fio a file of that name")
    results = os.path.join(work, "results")
    os.mkdir(results)
    os.mkfifo(os.path.join(results, "a.json"))
    shutil.copy(os.path.join(work, "r.json"), os.path.join(results, "b.json"))
    done = call(FATHOM, "compare", "results", "r.json", cwd=work)
    check(done.returncode == 0, "a pipe among results is none", done.stderr[-400:])


def endless_inputs(work):
    """Each ends within a second or so and 64 MiB."""
    global rows
    limit = f"{LIMIT} exec \"$@\""
    file_of(b"[global]\ninclude /dev/zero\n", "zero.fio")(work)
    for argv in ([FATHOM, "run", "/dev/zero"], [FATHOM, "run", "zero.fio"], [FATHOM, "run", "--inflate-log=/dev/zero"], [FIO, "/dev/zero"],
                 [FATHOM, "report", "/dev/zero"], [FATHOM, "compare", "/dev/zero", "r.json"], [FATHOM, "paging", "--import=/dev/zero"],
                 [FATHOM, "paging", "--pattern=profile:/dev/zero"], [FATHOM, "run", *SIM, "--buffer_pattern='/dev/zero'"],
                 [FATHOM, "run", "--inflate-log=/dev/stdin"], [FATHOM, "sweep", "/dev/zero", "--over=iodepth=1,2"]):
        rows += 1
        with open("/dev/zero", "rb") as zero:
            done = call("/bin/sh", "-c", limit, "sh", *argv, cwd=work, stdin=zero)
        check(done.returncode in (1, 2) and "device" in done.stderr, f"{' '.join(argv[1:])}: a device is not read", f"{done.returncode} {done.stderr[-300:]}")
    rows += 1
    done = call("/bin/sh", "-c", f"{LIMIT} cat /dev/zero | {FATHOM} report -", cwd=work)
    check(done.returncode == 2 and "too large" in done.stderr, "an endless pipe", f"{done.returncode} {done.stderr[-300:]}")


def limited_size(work):
    """`ulimit -f`: the output that has no room is an error, and no signal ends the program before the others."""
    global rows
    for words, lost in ((["--output-format=json", "--report=page"], "write `page`"), (["--output-format=json"], "standard output")):
        rows += 1
        with open(os.path.join(work, "out"), "wb") as f:
            done = subprocess.run(["/bin/sh", "-c", 'ulimit -f 1; exec "$@"', "sh", FATHOM, "run", *SIM, *words], stdout=f, stderr=subprocess.PIPE, text=True, cwd=work, timeout=60, check=False)
        check(done.returncode == 4 and lost in done.stderr, f"ulimit -f, {' '.join(words)}: {lost}", f"{done.returncode} {done.stderr[-400:]}")
        check(not os.path.exists(os.path.join(work, "page")), "ulimit -f: no half page")


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
        changed_without_being_named(work)
        readers_that_leave(work)
        limited_size(work)
        dashes_and_pipes(work)
        standard_streams(work)
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

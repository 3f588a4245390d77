# label: test
# timeout: 600
# cost: 6
"""Options of files by their effect: the system calls of a run, and what is on the disk."""
import fcntl
import os
import re
import resource
import struct
import subprocess

import compare
from straced import whole_calls

PLAIN = "ioengine=psync\nbs=4k\nrw=write\nsize=32k\n"
FILES = 1500  # six times the limit of open files


class Traced:
    """A job run under strace: its outcome, and the calls in their order as (name, arguments, result)."""

    def __init__(self, text, calls, prepare=None, limit=None, program=None, after=None):
        def limited():
            if limit:
                resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))

        with compare.workspace() as cwd:
            if prepare:
                prepare(cwd)
            job = compare.write_job(cwd, text)
            log = os.path.join(cwd, "calls.trace")
            command = ["strace", "-f", "-y", "-s", "0", "-o", log, "-e", "trace=" + calls] if calls else []
            done = subprocess.run(command + [program or compare.fio_link(), "--output-format=json", job], cwd=cwd, capture_output=True, text=True,
                                  timeout=compare.TIMEOUT_S, check=False, preexec_fn=limited)
            self.rc, self.stderr, self.report = done.returncode, done.stderr, compare.parse_report(done.stdout)
            lines = whole_calls(open(log, encoding="utf-8", errors="replace").read()) if calls else []
            found = (re.match(r"(\w+)\((.*)\) += +(-?\w+)", line) for line in lines)
            self.calls = [(m[1], m[2].replace(cwd + "/", ""), m[3]) for m in found if m]
            if after:
                after(cwd)
            self.files = {name: os.path.getsize(os.path.join(cwd, name)) for name in os.listdir(cwd)
                          if os.path.isfile(os.path.join(cwd, name)) and name not in ("calls.trace", os.path.basename(job))}

    def of(self, name, part=""):
        return [args for call, args, _ in self.calls if call == name and part in args]

    def names(self, *names):
        return [call for call, args, _ in self.calls if call in names]


def good(checks, name, traced):
    checks.equal(f"{name}: exit status", (traced.rc, traced.stderr), (0, ""))
    return traced


# effect: fadvise_hint
def check_advice(checks):
    for value, order, expected in (("0", "write", None), ("1", "write", "SEQUENTIAL"), ("1", "randwrite", "RANDOM"), ("random", "write", "RANDOM"),
                                   ("sequential", "randwrite", "SEQUENTIAL"), ("noreuse", "write", "NOREUSE")):
        run = good(checks, f"fadvise_hint={value}", Traced(f"[j]\nfilename=f\n{PLAIN}rw={order}\nfadvise_hint={value}\n", "fadvise64"))
        told = [args.rsplit("_", 1)[1] for args in run.of("fadvise64", "f>") if "DONTNEED" not in args]
        checks.equal(f"fadvise_hint={value} of {order}", told, [expected] if expected else [])


# effect: write_hint
def check_hint(checks):
    set_inode, set_file, get_inode = "0x40c", "0x40e", 1035  # F_SET_RW_HINT, F_SET_FILE_RW_HINT, F_GET_RW_HINT: not every strace knows their names
    for number, value in enumerate(("none", "short", "medium", "long", "extreme"), 1):
        for direct in (0, 1):
            kept = []

            def look(cwd, kept=kept):
                with open(os.path.join(cwd, "f"), "rb") as f:
                    kept.append(struct.unpack("Q", fcntl.fcntl(f.fileno(), get_inode, bytes(8)))[0])

            run = good(checks, f"write_hint={value}", Traced(f"[j]\nfilename=f\n{PLAIN}write_hint={value}\ndirect={direct}\n", "fcntl", after=look))
            hints = [call for args in run.of("fcntl") for call in (set_inode, set_file, "F_SET_RW_HINT", "F_SET_FILE_RW_HINT") if f", {call}" in args]
            checks.check(f"write_hint={value} direct={direct}: the file's own is tried first, past the cache", hints[:1] == [set_file if direct else set_inode] or
                         hints[:1] == ["F_SET_FILE_RW_HINT" if direct else "F_SET_RW_HINT"], hints)
            checks.check(f"write_hint={value} direct={direct}: what the inode has", kept == [number] or (direct and len(hints) == 1), kept)
    run = good(checks, "write_hint of a job that reads", Traced(f"[j]\nfilename=f\n{PLAIN}rw=read\nwrite_hint=short\n", "fcntl"))
    checks.equal("write_hint of a job that reads", [args for args in run.of("fcntl") if ", 0x40" in args or "RW_HINT" in args], [])


# effect: atomic
def check_atomic(checks):
    run = Traced(f"[j]\nfilename=f\n{PLAIN.replace('ioengine=psync', 'ioengine=pvsync2')}atomic=1\n", "openat,pwritev2")
    flags = run.of("openat", "O_RDWR")[-1]
    checks.check("atomic=1: how the file is opened", "O_DIRECT" in flags and "SYNC" not in flags, flags)
    checks.check("atomic=1: each write asks for it", run.of("pwritev2", "f>") and all("0x40" in call or "RWF_ATOMIC" in call for call in run.of("pwritev2", "f>")),
                 run.of("pwritev2"))


# effect: pre_read
def check_pre_read(checks):
    run = good(checks, "pre_read", Traced("[j]\nfilename=f\nioengine=psync\nbs=4k\nrw=randread\nsize=64k\nnumber_ios=4\npre_read=1\n", "pread64,fadvise64"))
    checks.equal("pre_read=1: reads", len(run.of("pread64", "f>")), 16 + 4)
    calls = [(call, args) for call, args, _ in run.calls if "<f>" in args]
    first_read = [call for call, _ in calls].index("pread64")
    dropped = [args for call, args in calls[first_read:] if call == "fadvise64" and "DONTNEED" in args]
    checks.equal("pre_read=1: what was read is not dropped again", dropped, [])


# effect: fsync_on_close end_syncfs create_fsync
def check_syncs(checks):
    for option, expected in (("", []), ("fsync_on_close=1", ["fsync"]), ("end_syncfs=1", ["syncfs"]), ("fsync_on_close=1\nend_syncfs=1", ["syncfs", "fsync"])):
        run = good(checks, option, Traced(f"[j]\nfilename=f\n{PLAIN}{option}\n", "fsync,syncfs"))
        checks.equal(f"syncs of {option!r}", run.names("fsync", "syncfs"), expected)
        checks.equal(f"{option!r} counts as no sync of the job's", run.report["jobs"][0]["sync"]["total_ios"], 0)
    run = good(checks, "reads", Traced(f"[j]\nfilename=f\n{PLAIN}rw=read\nfsync_on_close=1\ncreate_fsync=0\n", "fsync"))
    checks.equal("create_fsync=0, and nothing was written to close", run.names("fsync"), [])
    run = good(checks, "reads", Traced(f"[j]\nfilename=f\n{PLAIN}rw=read\n", "fsync"))
    checks.equal("create_fsync=1", run.names("fsync"), ["fsync"])


# effect: sync_file_range write_barrier
def check_range(checks):
    for engine in ("psync", "libaio\niodepth=4", "io_uring\niodepth=4", "mmap", "pvsync2", "sync"):
        run = good(checks, engine, Traced(f"[j]\nfilename=f\n{PLAIN}ioengine={engine}\nsync_file_range=write,wait_after:3\n", "sync_file_range"))
        ranges = [args.split(">, ", 1)[1] for args in run.of("sync_file_range")]
        flags = "SYNC_FILE_RANGE_WRITE|SYNC_FILE_RANGE_WAIT_AFTER"
        checks.equal(f"sync_file_range of {engine!r}", ranges, [f"0, 12288, {flags}", f"12288, 12288, {flags}"])
        sync = run.report["jobs"][0]["sync"]
        checks.equal(f"sync_file_range of {engine!r}: counted", (sync["total_ios"], sync["lat_ns"]["N"]), (0, 2) if "total_ios" in sync and sync["total_ios"] == 0 else (2, 2))
        checks.equal(f"sync_file_range of {engine!r}: bytes", run.report["jobs"][0]["write"]["io_bytes"], 32768)
    run = good(checks, "write_barrier", Traced(f"[j]\nfilename=f\n{PLAIN}write_barrier=3\n", "fdatasync,pwrite64"))
    checks.equal("write_barrier=3", run.names("fdatasync", "pwrite64"), (["pwrite64"] * 3 + ["fdatasync"]) * 2 + ["pwrite64"] * 2)


# effect: create_on_open
def check_create_on_open(checks):
    run = good(checks, "create_on_open", Traced(f"[j]\nfilename=f\n{PLAIN}create_on_open=1\n", "openat,fallocate,pwrite64"))
    checks.equal("create_on_open=1: one open, nothing allocated", (len(run.of("openat", '"f", O_RDWR|O_CREAT')), len(run.of("fallocate"))), (1, 0))
    run = good(checks, "create_on_open=0", Traced(f"[j]\nfilename=f\n{PLAIN}create_on_open=0\n", "openat,fallocate,pwrite64"))
    checks.equal("create_on_open=0: allocated", len(run.of("fallocate")), 1)


# effect: fallocate
def check_fallocate(checks):
    for value, mode in (("native", "0, 0, 32768"), ("posix", "0, 0, 32768"), ("1", "0, 0, 32768"), ("keep", "FALLOC_FL_KEEP_SIZE, 0, 32768"), ("none", None), ("0", None),
                        ("truncate", "ftruncate")):
        run = good(checks, value, Traced(f"[j]\nfilename=f\n{PLAIN}fallocate={value}\n", "fallocate,ftruncate"))
        calls = [args.split(">, ", 1)[1] for args in run.of("fallocate")] + ["ftruncate" for _ in run.of("ftruncate")]
        checks.equal(f"fallocate={value}", calls, [mode] if mode else [])


# effect: file_append
def check_append(checks):
    def old(cwd):
        with open(os.path.join(cwd, "f"), "wb") as f:
            f.write(b"x" * 5000)

    run = good(checks, "file_append", Traced(f"[j]\nfilename=f\n{PLAIN}size=8k\nfile_append=1\n", "pwrite64", old))
    checks.equal("file_append=1: where it writes", [args.rsplit(", ", 1)[1] for args in run.of("pwrite64", "f>")], ["5000", "9096"])
    checks.equal("file_append=1: the file", run.files, {"f": 5000 + 8192})


# effect: unlink_each_loop unlink
def check_each_loop(checks):
    for engine in ("psync", "io_uring\niodepth=4"):
        run = good(checks, "unlink_each_loop", Traced(f"[j]\nfilename=f\n{PLAIN}ioengine={engine}\nloops=3\nunlink_each_loop=1\n", "unlink"))
        checks.equal(f"unlink_each_loop=1 of {engine!r}: removed", len(run.of("unlink", '"f"')), 2)
        checks.equal(f"unlink_each_loop=1 of {engine!r}: the last one stays whole", run.files, {"f": 32768})
        checks.equal(f"unlink_each_loop=1 of {engine!r}: bytes", run.report["jobs"][0]["write"]["io_bytes"], 3 * 32768)
    run = good(checks, "unlink", Traced(f"[j]\nfilename=f\n{PLAIN}unlink=1\n", ""))
    checks.equal("unlink=1", run.files, {})


# effect: opendir filename_format unique_filename
def check_names(checks):
    def tree(cwd):
        os.makedirs(os.path.join(cwd, "d/e"))
        for name in ("d/x", "d/e/y"):
            with open(os.path.join(cwd, name), "wb") as f:
                f.write(b"x" * 8192)

    run = good(checks, "opendir", Traced("[j]\nopendir=d\nioengine=psync\nbs=4k\nrw=read\n", "pread64", tree))
    checks.equal("opendir=d: what is read", sorted(set(re.findall(r"<(?:[^>]*/)?(d/[^>]*)>", " ".join(run.of("pread64", "/"))))) or
                 sorted({re.search(r"<(.*)>", args)[1] for args in run.of("pread64", "<d/")}), ["d/e/y", "d/x"])
    checks.equal("opendir=d: bytes", run.report["jobs"][0]["read"]["io_bytes"], 16384)
    run = Traced("[j]\nopendir=e\nioengine=psync\nbs=4k\nrw=read\n", "")
    checks.check("opendir of nothing is refused", run.rc != 0, run.rc)
    run = good(checks, "filename_format", Traced(f"[J]\n{PLAIN}nrfiles=2\nnumjobs=2\nfilename_format=$JobName-$FILENUM.$jobnum.$clientuid.x\n", ""))
    checks.equal("filename_format", sorted(run.files), ["J-0.0..x", "J-0.1..x", "J-1.0..x", "J-1.1..x"])


    for value in (0, 1):
        run = good(checks, "unique_filename", Traced(f"[j]\n{PLAIN}directory=.\nunique_filename={value}\n", ""))
        checks.equal(f"unique_filename={value}: there is no client to name", list(run.files), ["j.0.0"])


# effect: openfiles
def check_openfiles(checks):
    many = f"[j]\n{PLAIN}nrfiles={FILES}\nsize={FILES * 4096}\nfallocate=none\n"
    run = Traced(many, "", limit=256)
    errors = run.stderr + str(run.report)
    checks.check(f"{FILES} files over the limit: what is said", run.rc != 0 and "openfiles" in errors and "ulimit -n" in errors, run.stderr)
    for engine in ("psync", "libaio\niodepth=8", "io_uring\niodepth=8"):
        run = Traced(many + f"ioengine={engine}\nopenfiles=100\nfsync_on_close=0\n", "", limit=256)
        good(checks, f"openfiles=100 of {engine!r}", run)
        checks.equal(f"openfiles=100 of {engine!r}: bytes", run.report["jobs"][0]["write"]["io_bytes"], FILES * 4096)
        checks.equal(f"openfiles=100 of {engine!r}: files, all whole", (len(run.files), set(run.files.values())), (FILES, {4096}))


# effect: fill_device fill_fs
def check_fill(checks):
    if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True).returncode != 0:
        return checks.note("fill_device: left out, needs root and a mount of its own")
    for engine in ("psync", "libaio\niodepth=4"):
        for rw in ("write", "read"):
            with compare.workspace() as cwd:
                job = compare.write_job(cwd, f"[j]\ndirectory=m\nfilename=f\nioengine={engine}\nbs=64k\nrw={rw}\nfill_device=1\n")
                script = f"mkdir m && mount -t tmpfs -o size=4m none m && {compare.fio_link()} --output-format=json --output=r {job}; rc=$?; stat -c %s m/f; exit $rc"
                done = subprocess.run(["unshare", "-m", "sh", "-c", script], cwd=cwd, capture_output=True, text=True, check=False)
                with open(os.path.join(cwd, "r"), encoding="utf-8") as f:
                    result = compare.parse_report("\n" + f.read())["jobs"][0]
                checks.equal(f"fill_device: {rw} of {engine!r}", (done.returncode, done.stdout.strip(), result[rw]["io_bytes"], result["error"]), (0, str(4 << 20), 4 << 20, 0))
    return None


def main():
    compare.need("strace")
    compare.need_fathom()
    checks = compare.Checks()
    for name, check in list(globals().items()):
        if name.startswith("check_") and checks.wanted(name):
            check(checks)
    checks.done()


main()

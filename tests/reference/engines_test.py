# label: test
# timeout: 300
# cost: 5
"""The engines whose I/O is no read or write of a file, or that join two jobs: the same job through fio (recorded) and through fathom. Exit status,
I/Os, bytes, errors, and the files that are left; and what only fathom has to keep to: its messages, and the system calls that an option is.
"""
import itertools
import os
import re
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import compare

PORTS = itertools.count(21000 + os.getpid() % 9000)


def job(*lines):
    return "[j]\n" + "\n".join(lines) + "\n"


# name -> text, files beforehand. Everything that is in `report` and the files' names and sizes must be equal.
SAME = {
    "pvsync": (job("ioengine=pvsync", "rw=randwrite", "size=1m"), {}),
    "posixaio": (job("ioengine=posixaio", "rw=randread", "size=1m", "iodepth=8", "filename=f"), {"f": "1m"}),
    "vsync": (job("ioengine=vsync", "rw=write", "size=1m", "iodepth=8", "iodepth_batch=8"), {}),
    "splice read": (job("ioengine=splice", "rw=read", "size=1m", "bs=128k", "filename=f"), {"f": "1m"}),
    "splice write": (job("ioengine=splice", "rw=randwrite", "size=1m", "bs=128k"), {}),
    "falloc read": (job("ioengine=falloc", "rw=read", "size=256k"), {}),
    "falloc write": (job("ioengine=falloc", "rw=write", "size=256k"), {}),
    "falloc trim": (job("ioengine=falloc", "rw=trim", "size=64k"), {}),
    "ftruncate": (job("ioengine=ftruncate", "rw=write", "size=1m"), {}),
    "ftruncate cannot read": (job("ioengine=ftruncate", "rw=read", "size=1m"), {}),
    "filecreate": (job("ioengine=filecreate", "rw=write", "nrfiles=10", "filesize=4k"), {}),
    "filecreate of clones": (job("ioengine=filecreate", "nrfiles=5", "numjobs=2"), {}),
    "filestat": (job("ioengine=filestat", "rw=write", "nrfiles=10", "filesize=4k"), {}),
    "filedelete": (job("ioengine=filedelete", "nrfiles=10", "filesize=4k"), {}),
    "cpuio without a load": (job("ioengine=cpuio"), {}),
    "exec without a program": (job("ioengine=exec"), {}),
}


def table(outcome):
    report = outcome.report
    if report is None:
        return None
    return [(j["jobname"], j["error"], *((d, j[d]["total_ios"], j[d]["io_bytes"]) for d in ("read", "write", "trim"))) for j in report["jobs"]]


def facts(name, outcome):
    refused = " without a " in name  # when the text is read: no report
    return {"rc": outcome.rc, "files": outcome.files, "counts": None if refused else table(outcome)}


def run(text, files, program, cwd):
    compare.fill(cwd, files)
    return compare.execute([program, "--output-format=json", compare.write_job(cwd, text)], cwd, timeout=60)


def same_as_fio(checks):
    for name, (text, files) in SAME.items():
        if not checks.wanted(name):
            continue

        def one(program):
            with compare.workspace() as cwd:
                return run(text, files, program, cwd)
        theirs, own, ours = checks.beside_fio(name, one, lambda outcome: facts(name, outcome))
        checks.equal(name, own, theirs)
        if " without a " in name:
            checks.check(f"{name}: said", "load" in ours.stderr or "program" in ours.stderr, ours.stderr)


def pair(body, reader, writer, engine="net"):
    port = next(PORTS)
    return (f"[global]\nioengine={engine}\nport={port}\nbs=4k\nsize=2m\n{body}\n[receiver]\nrw=read\n{reader}\n"
            f"[sender]\nrw=write\nstartdelay=1\n{writer}\n")


# effect: protocol listen hostname pingpong port
def pairs_of_jobs(checks):
    texts = {
        "tcp": pair("protocol=tcp", "listen", "hostname=localhost"),
        "tcp pingpong": pair("protocol=tcp\npingpong\nnodelay=1", "listen", "hostname=127.0.0.1"),
        "udp": pair("protocol=udp", "", "hostname=127.0.0.1"),
        "unix": pair("protocol=unix\nfilename=sock", "", "").replace(re.search(r"port=\d+\n", pair("", "", "")).group(), ""),
        "netsplice": pair("protocol=tcp", "listen", "hostname=localhost", engine="netsplice"),
    }
    texts["unix"] = re.sub(r"port=\d+\n", "", texts["unix"])

    def one(text):
        with compare.workspace() as cwd:
            return run(text, {}, compare.fio_link(), cwd)

    texts = {name: text for name, text in texts.items() if checks.wanted(name)}
    with ThreadPoolExecutor(len(texts) or 1) as pool:  # each waits for most of a second
        outcomes = pool.map(one, texts.values())
    for name, ours in zip(texts, outcomes):
        checks.equal(f"{name}: exit status", ours.rc, 0) or checks.note(ours.stderr)
        checks.equal(f"{name}: standard error", ours.stderr, "")
        rows = table(ours) or []
        moved = {row[0]: (row[2][2], row[3][2]) for row in rows}
        checks.equal(f"{name}: sender's bytes", moved.get("sender"), (0, 2 << 20))
        if name == "udp":  # what the kernel had no room for is lost
            checks.check(f"{name}: receiver's bytes", 0 < moved["receiver"][0] <= 2 << 20, moved)
        else:
            checks.equal(f"{name}: receiver's bytes", moved.get("receiver"), (2 << 20, 0))
        checks.check(f"{name}: said", "fio: waiting for connection" in ours.stdout, ours.stdout[:200])


# effect: cpuload cpuchunks cpumode exit_on_io_done
def cpu_time(checks):
    with compare.workspace() as cwd:
        text = "[a]\nioengine=cpuio\ncpuload=50\ncpuchunks=20000\nruntime=1\n"
        ours = run(text, {}, compare.fio_link(), cwd)
        row = ours.report["jobs"][0]
        checks.equal("cpuio: exit status", ours.rc, 0)
        checks.check("cpuio: said", "a (noop): ioengine=cpuio, cpuload=50, cpucycle=20000" in ours.stdout, ours.stdout[:200])
        checks.check("cpuio: chunks of 20 ms and pauses as long", 5 <= row["read"]["total_ios"] <= 26, row["read"]["total_ios"])
        checks.equal("cpuio: bytes and runtime", (row["read"]["io_bytes"], row["read"]["runtime"]), (0, 0))
        normal = compare.execute([compare.fio_link(), "--name=a", "--ioengine=cpuio", "--cpuload=100", "--runtime=1", "--cpumode=qsort"], cwd)
        checks.check("cpuio: no lines of I/O", "IOPS=" not in normal.stdout and "cpu          :" in normal.stdout, normal.stdout)
        checks.check("cpuio: qsort said", "a (qsort): ioengine=cpuio, cpuload=100" in normal.stdout, normal.stdout[:200])
        begin = time.monotonic()
        text = "[global]\nruntime=1\n[a]\nioengine=cpuio\ncpuload=10\nexit_on_io_done=1\nruntime=0\n[b]\nioengine=null\nsize=1g\ntime_based\n"
        ours = run(text, {}, compare.fio_link(), cwd)
        checks.equal("exit_on_io_done: exit status", ours.rc, 0)
        checks.check("exit_on_io_done: it ends with the others", time.monotonic() - begin < 15, time.monotonic() - begin)


# effect: program arguments grace_time std_redirect
def programs(checks):
    with compare.workspace() as cwd:
        ours = compare.execute([compare.fio_link(), "--name=a", "--ioengine=exec", "--program=/bin/echo", "--arguments=%r %n", "--runtime=5"], cwd)
        checks.equal("exec: exit status", ours.rc, 0)
        checks.equal("exec: files", ours.files, {"a.stdout": 4, "a.stderr": 0})
        ours = compare.execute([compare.fio_link(), "--name=a", "--ioengine=exec", "--program=/bin/sleep", "--arguments=30", "--runtime=1", "--grace_time=1",
                                "--std_redirect=0"], cwd, timeout=20)
        checks.equal("exec: a program that outlives its job", (ours.rc, ours.strays), (0, False))
        ours = compare.execute([compare.fio_link(), "--name=a", "--ioengine=exec", "--program=/nosuch"], cwd, timeout=20)
        checks.check("exec: no such program", ours.rc == 1 and "/nosuch" in ours.stderr, (ours.rc, ours.stderr))


MISTAKES = {
    "--ioengine=net --rw=randread --port=1 --size=1m --listen": "random",
    "--ioengine=net --rw=rw --port=1 --size=1m --listen": "read OR write",
    "--ioengine=net --rw=read --size=1m --listen": "port",
    "--ioengine=net --rw=write --port=1 --size=1m": "hostname",
    "--ioengine=net --rw=read --port=1 --size=1m --listen --hostname=localhost": "listens",
    "--ioengine=net --rw=write --port=1 --size=1m --hostname=127.0.0.1": "no server listens at that address",
    "--ioengine=netsplice --rw=write --port=1 --size=1m --hostname=127.0.0.1 --protocol=udp": "UDP",
    "--ioengine=e4defrag --rw=write --size=1m": "donorname",
    "--ioengine=e4defrag --rw=read --size=1m --donorname=d": "only writes",
    "--ioengine=sg --rw=read --filename=/dev/null": "READ CAPACITY",
    "--ioengine=page_fault --rw=read --size=1m --nrfiles=2": "one file",
    "--ioengine=falloc --rw=read --size=1m --readonly": "readonly",
}


def mistakes(checks):
    for words, said in MISTAKES.items():
        with compare.workspace() as cwd:
            ours = compare.execute([compare.FATHOM, "run", "--name=a", *words.split()], cwd, timeout=20)
        checks.check(words, ours.rc not in (0, None) and said in ours.stderr, (ours.rc, ours.stderr))


# effect: donorname inplace
def extents(checks):
    """An exchange is seen in where the file's blocks lie; ext4 on a loop device."""
    if os.geteuid() != 0 or not shutil.which("mkfs.ext4"):
        return checks.note("skipped: e4defrag needs root and mkfs.ext4")
    with compare.workspace() as cwd:
        image, mount = os.path.join(cwd, "image"), os.path.join(cwd, "mount")
        os.mkdir(mount)
        with open(image, "wb") as f:
            f.truncate(64 << 20)
        if subprocess.run(["mkfs.ext4", "-q", "-F", image], capture_output=True).returncode or \
                subprocess.run(["mount", "-o", "loop", image, mount], capture_output=True).returncode:
            return checks.note("skipped: no ext4 can be mounted here")
        try:
            for inplace in (0, 1):
                name, donor = os.path.join(mount, f"f{inplace}"), os.path.join(mount, f"d{inplace}")
                content = os.urandom(1 << 20)
                with open(name, "wb") as f:
                    f.write(content)
                    os.fsync(f.fileno())
                before = subprocess.run(["filefrag", "-v", name], capture_output=True, text=True).stdout
                ours = compare.execute([compare.fio_link(), "--name=a", "--ioengine=e4defrag", "--rw=write", "--bs=32k", f"--filename={name}",
                                        f"--donorname={donor}", f"--inplace={inplace}", "--output-format=json"], cwd)
                if not checks.equal(f"e4defrag inplace={inplace}: exit status", ours.rc, 0):
                    checks.note(ours.stderr)
                    continue
                write = ours.report["jobs"][0]["write"]
                checks.equal(f"e4defrag inplace={inplace}: counts", (write["total_ios"], write["io_bytes"]), (32, 1 << 20))
                checks.check("e4defrag: the extents are others", subprocess.run(["filefrag", "-v", name], capture_output=True, text=True).stdout != before, before)
                checks.check("e4defrag: the content is the same", open(name, "rb").read() == content)
                checks.equal(f"e4defrag inplace={inplace}: the donor has space", os.stat(donor).st_blocks > 0, inplace == 0)
        finally:
            subprocess.run(["umount", mount])


if __name__ == "__main__":
    compare.need_fio()
    compare.need_fathom()
    checks = compare.Checks()
    for part in (same_as_fio, pairs_of_jobs, cpu_time, programs, mistakes, extents):
        if not checks.only or any(w in part.__name__ for w in checks.only):
            part(checks)
    checks.done()

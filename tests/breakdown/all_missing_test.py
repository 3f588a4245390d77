"""--breakdown=all where it cannot be had: without the right to programs, or without libbpf, the run goes on and says in one line what it takes. What is killed
leaves nothing attached to the kernel, and a value that there is not is refused with those that there are."""
# label: kernel
# timeout: 120
# cost: 4
import contextlib
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import split
from all_parts import check, failures, joined, need_programs, run, tried
from attempts import wait_until

NOBODY = 65534
OPTIONS = ["--name=t", "--rw=randread", "--bs=4k", "--direct=1", "--ioengine=psync", "--audit=off", "--clock-check=skip", "--breakdown=all"]
HELD_BY_PROGRAMS = ("anon_inode:bpf-prog", "anon_inode:bpf-map", "anon_inode:bpf_link")


def text(argv):
    return subprocess.run(argv, capture_output=True, text=True, check=False)


def says_why(title, path, before, words):
    """All I/Os are done, no class is made, and one line of the report has the reason and what to do."""
    options = [f"--filename={path}", "--size=1m"]
    try:
        result = run(options, before)
    except SystemExit as error:
        return check(False, f"{title}: {error}")
    b = result["fathom"]["breakdown"]
    check(not b["classes"] and b["asked"] and result["jobs"][0]["read"]["total_ios"] == 256, f"{title}: the run goes on, without a split")
    done = text([*before, split.FATHOM, "run", *OPTIONS, *options])
    lines = [line for line in done.stdout.splitlines() if line.lstrip().startswith("breakdown")]
    check(done.returncode == 0 and len(lines) == 1 and all(word in lines[0] for word in words), f"{title}: {lines}")
    check(not any(word in done.stderr for word in ("libbpf", "breakdown")), f"{title}: nothing else is said of it ({done.stderr[-300:]!r})")


def without_rights(path):
    if shutil.which("setpriv") is None:
        return print("skipped: setpriv is not installed")
    says_why("without CAP_BPF", path, ["setpriv", "--bounding-set=-sys_admin,-bpf"], ("none", "CAP_BPF"))
    says_why("without CAP_PERFMON", path, ["setpriv", "--bounding-set=-sys_admin,-perfmon"], ("none", "CAP_PERFMON"))
    directory = os.path.dirname(path)  # where the program is built others may not look
    program = os.path.join(directory, "fathom")
    shutil.copy(split.FATHOM, program)
    for what, mode in ((directory, 0o755), (path, 0o644), (program, 0o755)):
        os.chmod(what, mode)
    kept, split.FATHOM = split.FATHOM, program
    try:
        says_why("as nobody", path, ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"], ("none", "CAP_BPF"))
    finally:
        split.FATHOM = kept


def without_library(path):
    listed = text(["/sbin/ldconfig", "-p"]).stdout.split("\n")
    found = [line.rsplit(" => ", 1)[1] for line in listed if line.strip().startswith("libbpf.so.1 ")]
    if not found:
        return print("skipped: it is not known where libbpf.so.1 lies")
    hide = " && ".join(f"mount --bind /dev/null {os.path.realpath(library)}" for library in found)
    says_why("without libbpf", path, ["unshare", "--mount", "sh", "-c", f'{hide} && exec "$@"', "sh"], ("none", "install libbpf1"))


def holders():
    """Who has a program, a map or a link of BPF open, and which of them."""
    found = set()
    for link in glob.glob("/proc/[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            if (what := os.readlink(link)) in HELD_BY_PROGRAMS:
                found.add((int(link.split("/")[2]), what))
    return found


def bpftool(*what):
    """By id; empty where there is no bpftool."""
    if shutil.which("bpftool") is None:
        return {}
    done = text(["bpftool", "--json", *what])
    return {one["id"]: one for one in json.loads(done.stdout)} if done.returncode == 0 and done.stdout.strip() else {}


def attached():
    """Links of a program named on_queue."""
    programs = {number for number, program in bpftool("prog", "show").items() if program.get("name") == "on_queue"}
    return {number for number, link in bpftool("link", "show").items() if link.get("prog_id") in programs}


def family(pid):
    """A process and all that descend from it."""
    found = [pid]
    for one in found:
        for children in glob.glob(f"/proc/{one}/task/*/children"):
            with contextlib.suppress(OSError), open(children, encoding="ascii") as f:
                found += [int(child) for child in f.read().split()]
    return found


def alive(pids):
    living = []
    for pid in pids:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", encoding="ascii") as f:
            if f.read().rsplit(")", 1)[1].split()[0] not in "ZX":
                living.append(pid)
    return living


def kill(handles):
    for handle in handles:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(handle, signal.SIGKILL)


def killed(path, title, everybody, options):
    """In the middle of its work: first what it holds is seen, and then that nothing of it is left."""
    before_links = attached()
    process = subprocess.Popen([split.FATHOM, "run", *OPTIONS, f"--filename={path}", "--size=64m", "--runtime=20", "--time_based", *options],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    handles = []
    try:
        check(wait_until(lambda: any(pid == process.pid and what == "anon_inode:bpf_link" for pid, what in holders()), 10), f"{title}: its programs were attached")
        time.sleep(0.3)
        ours, links = family(process.pid), attached() - before_links
        handles += [os.pidfd_open(pid) for pid in ours]
        check(len(ours) == (1 if "--thread" in options else 2), f"{title}: {len(ours)} processes")
        check(links or shutil.which("bpftool") is None, f"{title}: {len(links)} links of on_queue")
        kill(handles if everybody else handles[:1])
        process.wait()
        check(wait_until(lambda: not alive(ours), 10), f"{title}: no process of it is left")
        check(wait_until(lambda: not any(pid in ours for pid, _ in holders()), 10), f"{title}: no descriptor of it is left")
        check(wait_until(lambda: not attached() & links, 10), f"{title}: no link of it is left")
    finally:
        kill(handles)
        process.kill()
        process.wait()
        for handle in handles:
            os.close(handle)
    joined(f"{title}, the next run", run([f"--filename={path}", "--size=64m", "--number_ios=1000"]))


def refused(path):
    done = text([split.FATHOM, "run", *OPTIONS, f"--filename={path}", "--size=1m", "--breakdown=some"])
    check(done.returncode != 0 and not done.stdout, f"--breakdown=some: exit status {done.returncode}")
    check(all(word in done.stderr for word in ("--breakdown=some", "auto", "all")), f"--breakdown=some: {done.stderr.strip()!r}")


def main():
    need_programs()
    with split.scratch_file() as path:
        refused(path)
        without_rights(path)
        without_library(path)
        tried(killed, path, "the parent killed", False, [])
        tried(killed, path, "all killed", True, [])
        tried(killed, path, "a threaded one killed", True, ["--thread"])
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

"""filename=-, filetype=, and a job that is done by threads and killed: what the kernel and the shell see."""
# label: quick
# timeout: 120
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

FATHOM = os.environ["FATHOM"]
FIO = os.path.join(os.path.dirname(FATHOM), "fio")


def check(condition, what, failures, shown=""):
    print(("ok   " if condition else "FAIL ") + what)
    if not condition:
        print(str(shown)[-3000:])
        failures.append(what)


def run(*words, head=(FATHOM, "run"), **how):
    return subprocess.run([*head, *words], capture_output=True, timeout=60, check=False, **how)


# effect: filename
def standard_files(directory, failures):
    """The bytes go through, and the report is not among them."""
    source = os.path.join(directory, "source")
    with open(source, "wb") as f:
        f.write(os.urandom(64 << 10))
    done = run("--name=a", "--filename=-", "--rw=write", "--size=64k", "--bs=4k", "--ioengine=sync", "--buffer_pattern=0x5a", "--scramble_buffers=0", head=(FIO,))
    check(done.returncode == 0 and done.stdout == b"\x5a" * (64 << 10), "standard output has what was written and nothing else", failures, done.stderr)
    check(b"WRITE: bw=" in done.stderr, "the report went to standard error", failures, done.stderr)
    check(not os.path.exists("-"), "no file of that name was made", failures)
    with open(source, "rb") as f:
        done = run("--name=a", "--filename=-", "--rw=read", "--size=64k", "--bs=4k", "--ioengine=sync", "--output-format=json", stdin=f)
        check(f.read() == b"", "standard input was read to its end", failures)
    found = json.loads(done.stdout)["jobs"][0]["read"]
    check(found["io_bytes"] == 64 << 10, "and counted", failures, done.stderr)
    done = run("--name=a", "--filename=-", "--rw=rw", "--size=64k")
    check(done.returncode != 0 and b"can't read/write to stdin/out" in done.stderr, "one direction at a time", failures, done.stderr)


# effect: filetype=file filetype=block filetype=char
def types(directory, failures):
    there, missing = os.path.join(directory, "there"), os.path.join(directory, "missing")
    with open(there, "wb") as f:
        f.write(b"x" * 8192)
    for kind, path, works in (("file", there, True), ("block", there, False), ("char", there, False), ("char", "/dev/zero", True), ("file", "/dev/zero", False)):
        done = run("--name=a", f"--filename={path}", f"--filetype={kind}", "--rw=read", "--size=8k", "--bs=4k")
        check((done.returncode == 0) == works, f"filetype={kind} of {path}", failures, done.stderr)
    done = run("--name=a", f"--filename={missing}", "--filetype=block", "--rw=write", "--size=8k", "--bs=4k")
    check(done.returncode != 0 and not os.path.exists(missing), "no file in the place of a device that is not there", failures, done.stderr)


# effect: io_submit_mode=offload
def lanes(directory, failures):
    """iodepth threads, and what they measured is kept when their process is killed."""
    job = ["--name=a", f"--filename={directory}/f", "--size=1m", "--rw=randread", "--ioengine=psync", "--iodepth=5", "--io_submit_mode=offload", "--time_based"]
    process = subprocess.Popen([FATHOM, "run", *job, "--runtime=30", "--output-format=json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    children, worker = [], None
    for _ in range(200):
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as f:
            children = f.read().split()
        if children and len(os.listdir(f"/proc/{children[0]}/task")) == 6:
            worker = int(children[0])
            break
        time.sleep(0.05)
    check(worker is not None, "a thread for each I/O, and one that looks after them", failures, children)
    if worker is None:
        process.kill()
        return
    time.sleep(1)
    os.kill(worker, signal.SIGKILL)
    out, err = process.communicate(timeout=30)
    found = json.loads(out)["jobs"][0]
    check(found["error"] != 0 and found["read"]["total_ios"] > 100, "what they did until they were killed is reported", failures, err)
    check(found["read"]["clat_ns"]["N"] == found["read"]["total_ios"], "with all latencies", failures, found["read"]["clat_ns"]["N"])
    for more, said in (([], False), (["--breakdown"], True)):
        done = run(*job[:-1], *more)
        check((b"run.no_stamps" in done.stdout) == said, f"that single I/Os are not written down is said: {said}", failures, done.stdout)


# effect: profile
def profiles(directory, failures):
    done = run("--profile=tiobench", "--size=1", f"--dir={directory}", head=(FIO,))
    check(done.returncode == 0, "tiobench runs", failures, done.stderr)
    check(all(os.path.getsize(f"{directory}/.fio.tio.{i}") == 256 << 10 for i in range(1, 5)), "over four files", failures)
    device = os.path.join(directory, "dev")
    with open(device, "wb") as f:
        f.truncate(16 << 20)
    done = run("--profile=act", f"--device-names={device}", "--test-duration=2", "--large-block-op-kbytes=64", head=(FIO,))
    check(b"act: test complete, device(s): " in done.stdout, "act gives its verdict", failures, done.stdout + done.stderr)


def main():
    failures = []
    with tempfile.TemporaryDirectory(prefix="fathom-offload-", dir="/var/tmp") as directory:
        os.chdir(directory)
        for test in (standard_files, types, lanes, profiles):
            test(directory, failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

"""What the programs that call fio rely on: version, help, a quiet stderr, JSON alone on stdout, and texts that their greps find.

Each check names the program it stands for; the expressions are ours, made from what those programs look for.
"""
import json
import re
import subprocess

import compare

RANDREAD = ["--name=j", "--filename=f", "--rw=randread", "--bs=4k", "--size=1m"]
FIO_VERSION = "fio-3.42" if compare.is_fathom() else None  # what must be answered under fio's name


def run(*words, files=None, **kwargs):
    with compare.workspace() as cwd:
        compare.fill(cwd, files or {"f": "1m"})
        return compare.execute([compare.fio_link(), *words], cwd, **kwargs)


def check_dispatch(checks):
    for word in ("--version", "-v"):
        text = run(word).stdout
        checks.check(f"{word} is one line fio-N.NN (ezfio, bench-fio)", re.fullmatch(r"fio-\d\.\d\d\n", text), text)
        if FIO_VERSION:
            checks.equal(f"{word}", text, FIO_VERSION + "\n")
        checks.check(f"{word} as a number (ezfio)", float(text.split("-")[1]) > 3)
    for word in ("--help", "-h"):
        outcome = run(word)
        checks.check(f"{word} names json+ (ezfio)", "json+" in outcome.stdout, outcome.stdout)
        checks.equal(f"{word} exit status", outcome.rc, 0)
    for words in (["--cmdhelp=bs"], ["--enghelp"], ["--enghelp=libaio"], ["--cmdhelp"]):
        outcome = run(*words)
        checks.check(f"{words} answers", outcome.rc == 0 and outcome.stdout.strip() and not outcome.stderr, outcome)


def check_quiet(checks):
    """bench-fio and kubestr give up at the first byte on stderr."""
    for form in ("normal", "json", "json+", "json,normal"):
        outcome = run(*RANDREAD, f"--output-format={form}")
        checks.equal(f"{form}: exit status", outcome.rc, 0)
        checks.equal(f"{form}: stderr", outcome.stderr, "")
    for form in ("json", "json+"):
        report = json.loads(run(*RANDREAD, f"--output-format={form}").stdout)
        checks.check(f"{form} on stdout is JSON alone", report["jobs"][0]["read"]["total_ios"] == 256)
        if FIO_VERSION:
            checks.equal(f"{form}: fio version", report["fio version"], FIO_VERSION)
            checks.check(f"{form}: names fathom with version and commit", {"version", "commit"} <= set(report["fathom"]["program"]))
    outcome = run(*RANDREAD, "--output-format=json", "--output=out.json")
    checks.equal("--output: stdout stays empty", outcome.stdout, "")
    checks.check("--output: the file is there", outcome.files.get("out.json", 0) > 1000, outcome.files)


def check_dbench(checks):
    """dbench greps the text of gtod_reduce and of latency runs."""
    with_latency = run(*RANDREAD, "--thread", "--randrepeat=0").stdout
    reduced = run(*RANDREAD, "--gtod_reduce=1", "--randrepeat=0", "--offset_increment=256k", "--size=256k").stdout
    written = run(*RANDREAD, "--rw=write", "--gtod_reduce=1").stdout
    for name, text, word in (("read", reduced, "read"), ("write", written, "write")):
        rows = [row for row in text.splitlines() if re.search(rf"{word} ?:", row)]
        found = [m.group(1) for row in rows if (m := re.search(r"IOPS=([0-9k.]+)", row))]
        checks.equal(f"dbench: one {name} IOPS value", len(found), 1)
        rows = [row for row in text.splitlines() if re.search(rf"{word.upper()}: ?", row)]
        checks.check(f"dbench: {name} bandwidth", len(rows) == 1 and re.search(r"bw=[0-9]+([.][0-9]+)?[GMK]?i?B/s", rows[0]), rows)
    rows = [row for row in with_latency.splitlines() if re.search(r" lat.*avg", row)]
    checks.check("dbench: one latency line with an average",
                 len(rows) == 1 and re.search(r"^     lat \([num]sec\): .*avg=[ 0-9.]+", rows[0]), rows)
    checks.check("dbench: clat stands apart", re.search(r"^    clat \([num]sec\): min=", with_latency, re.M), with_latency)
    checks.check("text: every mark of a whole report", all(mark in with_latency for mark in (
        "cpu          : usr=", "  IO depths    : 1=", "     issued rwts: total=256,0,0,0", "Run status group 0 (all jobs):", "   READ: bw=")), with_latency)


def check_cbt(checks):
    """ceph's cbt asks for json,normal in one stream and cuts the JSON out between a line { and a line }."""
    text = run(*RANDREAD, "--bs=4096B", "--output-format=json,normal").stdout
    rows = text.splitlines()
    first, last = rows.index("{"), rows.index("}")
    checks.equal("cbt: one brace line each", (rows.count("{"), rows.count("}")), (1, 1))
    checks.equal("cbt: the cut is the report", json.loads("\n".join(rows[first:last + 1]))["jobs"][0]["read"]["io_kbytes"], 1024)
    checks.check("cbt: the text comes too", "Run status group 0" in text, text[-500:])


def check_tty_free(checks):
    """Without a terminal there is no status line, neither in the report nor on stderr."""
    outcome = run(*RANDREAD, "--time_based", "--runtime=1", "--output-format=json")
    checks.check("no status line without a terminal", "\r" not in outcome.stdout + outcome.stderr and "[r(1)]" not in outcome.stdout)


def check_stdin(checks):
    """A job file may come on standard input."""
    with compare.workspace() as cwd:
        done = subprocess.run([compare.fio_link(), "--output-format=json", "-"], cwd=cwd, input="[j]\nioengine=null\nsize=64k\n", text=True,
                              capture_output=True, timeout=compare.TIMEOUT_S)
    checks.check("job file on stdin", done.returncode == 0 and json.loads(done.stdout)["jobs"][0]["read"]["io_bytes"] == 65536, done.stderr)


def main():
    checks = compare.Checks()
    for part in (check_dispatch, check_quiet, check_dbench, check_cbt, check_tty_free, check_stdin):
        part(checks)
    checks.done()


main()

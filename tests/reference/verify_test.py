# label: fio
# timeout: 300
# cost: 20
"""What one program wrote is read and checked by the other, by every method: four block sizes, with and without intervals and an offset, both ways with
Debian's fio (headers of 40 bytes; those of 48 are held against fio 3.42's own data by tests/verify/fixtures_test.cc). A byte that is changed in between is seen by both.
"""
import os
import re

import compare

AS_FIO = os.path.join(os.path.dirname(os.path.abspath(compare.FATHOM)), "fio")
METHODS = ["md5", "crc64", "crc32", "crc32c", "crc16", "crc7", "xxhash", "sha1", "sha256", "sha3-224", "sha3-256", "sha3-384", "sha3-512", "meta", "pattern"]
BLOCKS = ("512", "4k", "12k", "64k")
PATTERN = 'verify_pattern=0xdeadbeef%o"ab"-12'
SIZE = 192 << 10
PLACE = SIZE - 300  # in the last interval of a block: what fio 3.33 finds in an earlier one it forgets when a later one is good


def lines_of(method, bs, extra=""):
    pattern = PATTERN + "\n" if method == "pattern" else ""
    ours = "verify_format=fio-3.33\n"
    return f"verify={method}\nbs={bs}\n{pattern}{extra}", ours


def jobs(mode, bs, extra, program, only=None):
    """A job for each method, all in one start of the program."""
    text = "[global]\nioengine=psync\nsize=192k\ndo_verify=0\ncontinue_on_error=verify\n"
    for method in only or METHODS:
        lines, ours = lines_of(method, bs, extra)
        text += f"[{method}]\nfilename={method}\nrw={mode}\n{lines}{'' if program == compare.FIO else ours}"
    return text


def run(program, text, cwd):
    return compare.execute([program, "--output-format=json", compare.write_job(cwd, text)], cwd)


def errors(outcome):
    return {job["jobname"]: job["error"] for job in outcome.report["jobs"]} if outcome.report else None


def crossed(checks, bs, extra, small):
    """small: blocks that have no room for some fields, or are no multiple of what is asked."""
    methods = [m for m in METHODS if not small or m not in ("sha256", "sha3-512", "sha3-384")]
    name = f"bs={bs} {extra.strip()}".replace("\n", " ")
    for writer, reader in ((compare.FATHOM, compare.FIO), (compare.FIO, compare.FATHOM)):
        who = "ours read by fio" if reader == compare.FIO else "fio's read by us"
        with compare.workspace() as cwd:
            wrote = run(writer, jobs("write", bs, extra, writer, methods), cwd)
            checks.equal(f"{name}: {who}: written", wrote.rc, 0)
            for mode in ("read", "randread"):
                read = run(reader, jobs(mode, bs, extra, reader, methods), cwd)
                checks.equal(f"{name}: {who}: {mode}", errors(read), dict.fromkeys(methods, 0))
                if read.rc != 0:
                    checks.note(read.stderr[:600])
            for method in methods:
                with open(os.path.join(cwd, method), "r+b") as f:
                    f.seek(PLACE)
                    byte = f.read(1)[0]
                    f.seek(PLACE)
                    f.write(bytes([byte ^ 0x10]))
            read = run(reader, jobs("read", bs, extra, reader, methods), cwd)
            seen = {m for m, error in (errors(read) or {}).items() if error == 84}
            checks.equal(f"{name}: {who}: a byte that is changed is seen", seen, set(methods) - {"meta"})


BETWEEN = {
    "backlog": "verify_backlog=16\nverify_backlog_batch=8\n",
    "trims": "trim_percentage=50\ntrim_backlog=8\n",
    "threads": "verify_async=2\n",
    "backlog and threads": "verify_backlog=16\nverify_async=2\n",
    "experimental": "experimental_verify=1\n",
    "no sequence": "verify_header_seed=0\nverify_write_sequence=0\n",
    "policy": "verify_policy=fsynced\nfsync=8\n",
}


def between(checks):
    """What a job does beside its writes changes nothing of what it leaves: fio reads it, all of it that was not trimmed."""
    for name, lines in BETWEEN.items():
        for engine in ("psync", "libaio\niodepth=8"):
            with compare.workspace() as cwd:
                job = f"[j]\nfilename=f\nsize=256k\nbs=4k\nrw=write\nverify=md5\nverify_format=fio-3.33\nioengine={engine}\n{lines}"
                checks.equal(f"{name}, {engine!r}: written and read back", run(compare.FATHOM, job, cwd).rc, 0)
                if name == "trims":
                    continue
                read = run(compare.FIO, "[j]\nfilename=f\nsize=256k\nbs=4k\nrw=read\nverify=md5\n", cwd)
                checks.equal(f"{name}, {engine!r}: fio reads it", read.rc, 0)


def dumps_and_lines(checks):
    """The same spoilt file, by fio and by us under its name: the lines that scripts look for, and the bytes that are dumped. Of what is expected the times
    and the number in the header are those of the write here and of the reading in fio 3.33, and the CRC is over them."""
    with compare.workspace() as cwd:
        run(compare.FIO, jobs("write", "4k", "", compare.FIO, ["md5"]), cwd)
        for place in (20000, 40960):
            with open(os.path.join(cwd, "md5"), "r+b") as f:
                f.seek(place)
                f.write(b"X")
        seen = {}
        for program in (compare.FIO, AS_FIO):
            done = compare.execute([program, "--name=j", "--filename=md5", "--rw=read", "--bs=4k", "--size=192k", "--ioengine=psync", "--verify=md5",
                                    "--verify_dump=1", "--continue_on_error=verify"], cwd)
            lines = [line for line in done.stderr.split("\n") if re.search("verify|CRC|dumped", line) and not line.startswith("fio:")]
            dumped = {}
            for name in sorted(os.listdir(cwd)):
                if name.startswith("md5."):
                    with open(os.path.join(cwd, name), "rb") as f:
                        dumped[name] = bytearray(f.read())
                    os.unlink(os.path.join(cwd, name))
            seen[program] = (done.rc, lines, dumped)
        (rc, lines, dumped), (our_rc, our_lines, our_dumped) = seen[compare.FIO], seen[AS_FIO]
        checks.equal("exit status", our_rc, rc)
        checks.equal("the lines of fio", [line for line in our_lines if "after its start" not in line], lines)
        checks.equal("what is dumped", list(our_dumped), list(dumped))
        for name in dumped:
            for bytes_of in (dumped[name], our_dumped.get(name, bytearray(64))):
                if name.endswith("expected"):
                    bytes_of[24:32] = bytes(8)
                    bytes_of[34:40] = bytes(6)
            checks.check(f"{name}: the same bytes", dumped[name] == our_dumped.get(name))


def main():
    compare.need("fio")
    checks = compare.Checks()
    between(checks)
    dumps_and_lines(checks)
    for bs in BLOCKS:
        crossed(checks, bs, "", bs == "512")
    crossed(checks, "8k", "verify_interval=1k\nverify_offset=256\n", False)
    checks.done()


main()

# label: slow
# timeout: 300
# cost: 20
"""What one program wrote is read and checked by the other, by every method: four block sizes, with and without intervals and an offset, both ways with
Debian's fio (headers of 40 bytes; those of 48 are held against fio 3.42's own data by tests/verify/fixtures_test.cc). A byte that is changed in between is seen by both.
"""
import os

import compare

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


def main():
    compare.need("fio")
    checks = compare.Checks()
    for bs in BLOCKS:
        crossed(checks, bs, "", bs == "512")
    crossed(checks, "8k", "verify_interval=1k\nverify_offset=256\n", False)
    checks.done()


main()

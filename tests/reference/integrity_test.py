# label: fio
# timeout: 200
# cost: 30
"""Damage planted below the program (tests/tools/damaging_fs.cc) x every method of verify=: what was accused is held against what was planted.

One write of 1 MiB carries all kinds of damage at once, each in a block of its own: first in an empty file, then over an older version of other
contents, read back by the run itself and by a reader that starts afterwards. A damage that a method cannot see must stay silent, as must every
block without one. Debian's fio reads some of the same files and must accuse the same blocks. The matrix stands in docs/dev/validation.md; FATHOM_WRITE_MATRIX=1 writes it there.
"""
import json
import os
import pathlib
import re
import sys

import compare

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import damaged_mount  # noqa: E402

METHODS = ("md5 crc7 crc16 crc32 crc32c crc32c-intel crc64 sha1 sha256 sha512 sha3-224 sha3-256 sha3-384 sha3-512 xxhash meta pattern pattern_hdr "
           "null").split()
BLOCK = 4096
# name: (command, its block, its number). The misdirected write lands on block 10, which was written before it.
DAMAGES = {
    "flip, header": ("flip", 20, 16 * 8),
    "flip, contents": ("flip", 30, 2000 * 8 + 3),
    "torn": ("torn", 40, 3),
    "lost": ("lost", 50, ""),
    "misdirected": ("misdirected", 60, 10 * BLOCK),
    "landed upon": (None, 10, ""),
    "stale": ("stale", 80, "all"),
    "zero": ("zero", 90, ""),
    "shifted": ("shifted", 100, 512),
}
BEGIN, END = "<!-- integrity_test.py: begin -->", "<!-- integrity_test.py: end -->"
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "dev/validation.md"


def run(program, mount, method, mode, *extra, engine="psync"):
    words = [program, "--name=j", f"--filename={mount.data}", f"--rw={mode}", "--bs=4k", "--size=1M", f"--verify={method}", "--verify_fatal=0",
             f"--ioengine={engine}", "--output-format=json", *extra]
    if method.startswith("pattern"):
        words.append("--verify_pattern=0xdeadbeef%o")
    return compare.execute(words, os.path.dirname(mount.point))


def found(outcome):
    """{block: what is said of it}"""
    texts = re.findall(r'"message" : (".*"),?$', outcome.stdout, re.M) + outcome.stderr.split("\n")
    said = {}
    for text in texts:
        place = re.search(r"at file .*? offset (\d+)", text)
        if place:
            said.setdefault(int(place[1]) // BLOCK, text)  # the message before the bare line, which has no kind
    return said


# What the evidence in a block fits; any of these may be told of it, and nothing else. Over an empty file a lost write leaves zeroes; of a shifted
# block the older header stays in its place, so that who knows only that sees a torn or an older one.
LOST = [{"lost"}, {"lost", "zeroes"}]
TOLD = {"flip, header": [{"flipped"}, set()], "flip, contents": [{"flipped"}], "torn": [{"torn"}], "lost": LOST, "misdirected": LOST, "stale": LOST,
        "landed upon": [{"misdirected"}], "zero": [{"lost", "zeroes"}], "shifted": [{"shifted"}, {"torn"}, {"lost"}]}
KINDS = ("stale", "flipped", "torn", "misdirected", "lost", "zeroes", "shifted")


def kind_told(text):
    """The kinds of damage that a message names; empty: none."""
    told = re.search(r"; ((?:stale|flipped|torn|misdirected|lost|zeroes|shifted)\b.*)$", text)
    return {kind for kind in KINDS if kind in re.split(r"[^a-z]+", told[1])} if told else set()


def planted(mount):
    mount.command(*(f"{kind} {block * BLOCK} {number}" for kind, block, number in DAMAGES.values() if kind))


def blind(method, reader):
    """What the method cannot see, by what it compares: the reader is "first" (a run over an empty file, read back by itself), "own" (the same over
    an older version) or "later" (a run that reads what "own" left, and has nothing but the file)."""
    if method == "null":
        return set(DAMAGES)
    if reader == "first":
        return {"flip, contents", "torn"} if method == "meta" else set()
    if method.startswith("pattern"):  # the older version is the same pattern at the same place
        return {"torn", "lost", "misdirected", "stale"}
    unseen = {"flip, contents", "torn"} if method == "meta" else set()
    if reader == "later":  # an older version is whole in itself; of a shifted block the older header is left in its place
        unseen |= {"lost", "misdirected", "stale"} | ({"shifted"} if method == "meta" else set())
    return unseen


def judged(checks, name, outcome):
    """The names of the damages that were seen; nothing else may be accused."""
    silent = " pattern" in f" {name}"  # without contents from a seed most kinds cannot be told
    names = {block: damage for damage, (_, block, _) in DAMAGES.items()}
    said = found(outcome)
    checks.equal(f"{name}: accused without damage", sorted(set(said) - set(names)), [])
    for block, text in said.items():
        told, fits = kind_told(text), TOLD.get(names.get(block), [])
        checks.check(f"{name}: {names.get(block)}: kind", told in fits or (silent and not told), told)
    return {names[block] for block in said if block in names}


def was_done(checks, mount, name):
    acted = mount.acted()
    for damage, (kind, block, _) in DAMAGES.items():
        checks.check(f"{name}: {damage}: was done", not kind or acted.get(block * BLOCK, 0) > 0, acted)


def row(checks, mount, method, engine, direct):
    """{reader: names of the damages that it saw}"""
    name = f"{method} {engine} direct={direct}"
    common = [f"--direct={direct}", "--continue_on_error=verify"]
    mount.command("wipe")
    planted(mount)
    first = run(compare.FATHOM, mount, method, "write", *common, "--randseed=2", engine=engine)
    was_done(checks, mount, f"{name}: first")
    mount.command("wipe")
    clean = run(compare.FATHOM, mount, method, "write", f"--direct={direct}", "--randseed=1", engine=engine)
    twin = run(compare.FATHOM, mount, method, "read", f"--direct={direct}", "--randseed=1", engine=engine)
    for what, outcome in (("written", clean), ("read", twin)):
        checks.equal(f"{name}: clean, {what}: exit status", outcome.rc, 0)
        checks.equal(f"{name}: clean, {what}: accused", found(outcome), {})
    planted(mount)
    own = run(compare.FATHOM, mount, method, "write", *common, "--randseed=2", engine=engine)
    later = run(compare.FATHOM, mount, method, "read", *common, "--randseed=2", engine=engine)
    was_done(checks, mount, f"{name}: own")
    seen = {reader: judged(checks, f"{name}: {reader}", outcome) for reader, outcome in (("first", first), ("own", own), ("later", later))}
    for reader, names in seen.items():
        checks.equal(f"{name}: {reader}: seen", sorted(names), sorted(set(DAMAGES) - blind(method, reader)))
    return seen


def row_of_chance(checks, mount, method, way):
    """crc7 has seven bits: of 128 damaged contents, which are other ones in each run, it takes one for whole."""
    seen = []

    def crc7(again):
        seen[:] = [row(again, mount, method, *way)]

    if method != "crc7":
        return row(checks, mount, method, *way)
    checks.in_attempts(crc7)
    return seen[0]


def ends_with_failure(checks, mount):
    """Without continue_on_error a lost write ends the job, and its exit status says so."""
    mount.command("wipe", "lost 204800")
    outcome = run(compare.FATHOM, mount, "crc32c", "write")
    checks.check("lost: exit status", outcome.rc not in (0, None), outcome.rc)
    checks.equal("lost: accused", list(found(outcome)), [50])


def cached(checks, mount):
    """What the page cache answers says nothing of what lies below it. invalidate=1, the default, drops it before the read-back; direct=1 goes round it."""
    for direct, invalidate, accused in ((0, 0, []), (0, 1, [50]), (1, 0, [50])):
        mount.command("wipe", "lost 204800", "cache on")
        outcome = run(compare.FATHOM, mount, "crc32c", "write", f"--direct={direct}", f"--invalidate={invalidate}", "--continue_on_error=verify")
        checks.equal(f"behind the page cache, direct={direct} invalidate={invalidate}: accused", list(found(outcome)), accused)
    mount.command("cache off")


def stale_to_some(checks, mount):
    for readers, direct, accused in (("buffered", 0, [80]), ("buffered", 1, []), ("direct", 0, []), ("direct", 1, [80])):
        mount.command("wipe")
        run(compare.FATHOM, mount, "xxhash", "write", "--randseed=1", "--do_verify=0")
        mount.command(f"stale {80 * BLOCK} {readers}")
        outcome = run(compare.FATHOM, mount, "xxhash", "write", f"--direct={direct}", "--randseed=2", "--continue_on_error=verify")
        checks.equal(f"stale to {readers}, direct={direct}: accused", list(found(outcome)), accused)


def read_by_fio(checks, mount):
    """fio 3.33 and we accuse the same blocks of a file that fathom wrote in fio 3.33's format."""
    for method in ("md5", "crc32c", "crc64", "sha1", "xxhash", "meta"):
        mount.command("wipe")
        planted(mount)
        mount.command(f"lost {80 * BLOCK}")  # for stale, which reads as it likes
        run(compare.FATHOM, mount, method, "write", "--do_verify=0", "--verify_format=fio-3.33")
        ours, theirs = (run(p, mount, method, "read", "--continue_on_error=verify") for p in (compare.FATHOM, compare.FIO))
        checks.equal(f"{method}: accused by fio", sorted(found(theirs)), sorted(found(ours)))
        checks.check(f"{method}: accused by both", len(found(ours)) >= 6, sorted(found(ours)))


def matrix(rows):
    """The rows as the page has them: counts of runs that saw a damage, of those that had it, for the three readers."""
    lines = ["| method | " + " | ".join(DAMAGES) + " |", "|---" * (len(DAMAGES) + 1) + "|"]
    for method in METHODS:
        runs = rows[method]
        cells = ["/".join(str(sum(damage in seen[reader] for seen in runs)) for reader in ("first", "own", "later")) for damage in DAMAGES]
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def hold_page(checks, table):
    before, rest = PAGE.read_text().split(BEGIN)
    stands, after = rest.split(END)
    if os.environ.get("FATHOM_WRITE_MATRIX") == "1":
        PAGE.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}")
    else:
        checks.check("docs/dev/validation.md has this matrix (FATHOM_WRITE_MATRIX=1 writes it)", stands.strip() == table, table)


def main():
    damaged_mount.skip_without_fuse()
    compare.need("fio")
    compare.need_fathom()
    checks = compare.Checks()
    with damaged_mount.mounted() as mount:
        ways = (("psync", 0), ("psync", 1), ("io_uring", 0))
        rows = {method: [row_of_chance(checks, mount, method, way) for way in ways] for method in METHODS}
        ends_with_failure(checks, mount)
        cached(checks, mount)
        stale_to_some(checks, mount)
        read_by_fio(checks, mount)
    table = matrix(rows)
    checks.note(table)
    hold_page(checks, table)
    checks.done()


main()

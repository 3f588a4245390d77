# label: fio
# timeout: 300
"""Verify states between two programs: our state is followed by Debian's fio and fio's by us, of jobs in order; of random jobs only our own is."""
import os
import struct

import compare
from state_jobs import LIVE, STATE, findings, run, total, write_ten


# effect: verify_state_load
def crossed_with_fio(checks):
    """A state of either says to the other where the writes end: without verify_state_load=1 the zeroes behind them are accused."""
    for writer, reader in ((compare.FATHOM, compare.FIO), (compare.FIO, compare.FATHOM), (compare.FATHOM, compare.FATHOM)):
        name = f"{os.path.basename(writer)} to {os.path.basename(reader)}"
        with compare.workspace() as cwd:
            wrote = write_ten(writer, cwd, *(["--verify_format=fio-3.33"] if writer == compare.FATHOM else []))
            checks.equal(f"{name}: written", wrote.rc, 0)
            checks.check(f"{name}: the state is there", STATE in wrote.files and LIVE not in wrote.files, wrote.files)
            read = run(reader, cwd, "--rw=read", "--verify_state_load=1")
            checks.equal(f"{name}: read by the state", (read.rc, total(read)), (0, 10))
            if reader == compare.FATHOM:
                only = run(reader, cwd, "--rw=write", "--verify_only", "--verify_state_load=1")
                checks.equal(f"{name}: verify_only by the state", (only.rc, total(only)), (0, 20))  # ten writes of the dry run, ten reads
                checks.check(f"{name}: it is said", "verify.by_state" in findings(only), findings(only))
            without = run(reader, cwd, "--rw=read", "--verify_state_load=0")
            checks.check(f"{name}: without it the zeroes are seen", without.rc not in (0, None), without.rc)
            checks.equal(f"{name}: nothing else was left", sorted(without.files), [STATE, "x"])


def at_random(checks):
    """fio's offsets are not ours: its state of a random job is refused in words; our own is followed."""
    with compare.workspace() as cwd:
        write_ten(compare.FIO, cwd, "--rw=randwrite")
        refused = run(compare.FATHOM, cwd, "--rw=randwrite", "--verify_only", "--verify_state_load=1")
        checks.check("fio's at random: refused", refused.rc not in (0, None) and "another program's verify state" in refused.stderr, refused.stderr)
        os.unlink(os.path.join(cwd, STATE))
        write_ten(compare.FATHOM, cwd, "--rw=randwrite")
        ours = run(compare.FATHOM, cwd, "--rw=randwrite", "--verify_only", "--verify_state_load=1")
        checks.equal("ours at random: followed", (ours.rc, total(ours)), (0, 20))
        exact = ours.report["fathom"]["jobs"][0]["verified"]["exact_bytes"]
        checks.equal("ours at random: the very writes", exact, 10 * 4096)
        with open(os.path.join(cwd, STATE), "rb") as f:
            version = struct.unpack("<Q", f.read(8))[0]
        checks.equal("ours: version", version, 5)


def main():
    compare.need("fio")
    compare.need_fathom()
    checks = compare.Checks()
    crossed_with_fio(checks)
    at_random(checks)
    checks.done()


main()

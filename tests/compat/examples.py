"""fio's example job files as Debian's package fio-examples installs them: which cannot run here, and what small.py needs to know of the others."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reference"))
import recorded  # noqa: E402

FOLDER = pathlib.Path("/usr/share/doc/fio/examples")

LIBRARY = "its engine needs a library"
VERIFY = "verification beyond its basic methods"
# Never of the share: fathom says that it has none of it.
BEYOND = {
    "cpp_null.fio": LIBRARY, "dev-dax.fio": LIBRARY, "gfapi.fio": LIBRARY, "ime.fio": LIBRARY, "libhdfs.fio": LIBRARY,
    "libpmem.fio": LIBRARY, "pmemblk.fio": LIBRARY,
    "libzbc-rand-write.fio": LIBRARY, "libzbc-seq-read.fio": LIBRARY,
    "cross-stripe-verify.fio": VERIFY, "e4defrag.fio": VERIFY, "e4defrag2.fio": VERIFY, "enospc-pressure.fio": VERIFY, "surface-scan.fio": VERIFY,
}
# Understood is all that can be seen of them here.
ONLY_UNDERSTOOD = {
    "uring-cmd-ng.fio": "an NVMe namespace", "sg_verify.fio": "a SCSI disk", "sg_verify-fail.fio": "a SCSI disk", "sg_write_same_ndob.fio": "a SCSI disk",
    "netio_multicast.fio": "a network that carries multicast", "numa.fio": "two NUMA nodes",
    "uring-cmd-zoned.fio": "a zoned NVMe namespace", "zbd-rand-write.fio": "a disk of 10 GiB or more", "zbd-seq-read.fio": "a disk of 140 GB",
    "nbd.fio": "a server", "libiscsi.fio": "a server", "rados.fio": "a server", "rbd.fio": "a server", "mtd.fio": "flash memory",
}
MORE = {
    "1mbs_clients.fio": {"rate": "1250k", "size": "64k", "ratemin": "1"},
    "exitwhat.fio": {"filesize": "1m", "rate": "300k,300k,300k"},
    "poisson-rate-submission.fio": {"size": "64k"}, "fixed-rate-submission.fio": {"size": "512k"},
    "exec.fio": {"program": "/bin/sleep", "arguments": "0.1", "numjobs": "1"},
    "netio.fio": {"startdelay": "300ms"},
    "steadystate.fio": {"runtime": "1s"},
}


def parsed_by_fio():
    """The names of those that Debian's fio understands, in order; recorded (tests/reference/recorded.py)."""
    def understood(path):
        done = subprocess.run([recorded.FIO, "--parse-only", str(path)], capture_output=True, stdin=subprocess.DEVNULL, timeout=30)
        return done.returncode == 0
    return recorded.answer("examples that fio parses", lambda: [path.name for path in sorted(FOLDER.glob("*.fio")) if understood(path)])

# label: fio
# timeout: 300
"""The network engine with fio at one end and fathom at the other: all that is sent arrives, over TCP and UDP, whoever reads."""
import itertools
import os
import subprocess
import time

import compare

PORTS = itertools.count(21000 + os.getpid() % 9000)


def await_port(protocol, port):
    """Until somebody waits there: an announcement that comes before is lost."""
    for _ in range(200):
        with open(f"/proc/net/{protocol}") as table:
            if f":{port:04X} " in table.read():
                return
        time.sleep(0.05)


def with_fio(checks):
    for protocol in ("tcp", "udp"):
        for ours_reads in (True, False):
            port = next(PORTS)
            who = [compare.fio_link(), compare.FIO] if ours_reads else [compare.FIO, compare.fio_link()]
            common = ["--name=j", "--ioengine=net", f"--protocol={protocol}", f"--port={port}", "--size=64k", "--bs=1k", "--output-format=json"]
            with compare.workspace() as cwd:
                reader = subprocess.Popen([who[0], *common, "--rw=read", *(["--listen"] if protocol == "tcp" else [])], cwd=cwd, stdout=subprocess.PIPE,
                                          stderr=subprocess.DEVNULL, text=True)
                await_port(protocol, port)
                writer = compare.execute([who[1], *common, "--rw=write", "--hostname=127.0.0.1"], cwd, timeout=30)
                try:
                    out, _ = reader.communicate(timeout=15)
                except subprocess.TimeoutExpired:
                    reader.kill()
                    out, _ = reader.communicate()
            name = f"{protocol}, {'fathom' if ours_reads else 'fio'} reads"
            checks.equal(f"{name}: exit status", (reader.returncode, writer.rc), (0, 0))
            checks.equal(f"{name}: sent", writer.report["jobs"][0]["write"]["io_bytes"], 1 << 16)
            report = compare.parse_report(out)
            if checks.check(f"{name}: a report", report is not None, out):
                checks.equal(f"{name}: received", report["jobs"][0]["read"]["io_bytes"], 1 << 16)


if __name__ == "__main__":
    compare.need("fio")
    compare.need_fathom()
    checks = compare.Checks()
    with_fio(checks)
    checks.done()

# label: kernel
# timeout: 300
# lock: block
# cost: 20
"""`fathom sweep --slo` on a device that a cgroup's limit throttles: what it bears is the throttle."""
import json
import os
import pathlib
import subprocess
import tempfile

import split

IOPS = 2000
JOB = """[reads]
filename={device}
rw=randread
bs=4k
direct=1
ioengine=libaio
iodepth=256
ramp_time=0.3
runtime=0.7
time_based=1
"""


def sweep(folder, device, before):
    (folder / "job.fio").write_text(JOB.format(device=device))
    done = subprocess.run([*before, os.environ["FATHOM"], "sweep", "job.fio", "--over=rate_iops=1000..4000*1.4", "--slo=lat_p99<50ms", "--width=25", "--repeat=1",
                           "--refine=0", "--run-option=--audit=off", "--run-option=--clock-check=skip", "--output-format=json"],
                          capture_output=True, text=True, cwd=folder, timeout=250)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def main():
    with split.scratch_file() as path, split.loop_device(path) as device:
        if device is None:
            split.skip("no loop device")
        with split.limited(device, IOPS) as before, tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            if before is None:
                split.skip("no blkio of cgroup v1")
            found = sweep(pathlib.Path(folder), device, before)
    bracket = found["curves"][0]["bracket"]
    print(found["runs"], "runs:", bracket)
    meets, misses = bracket["meets"], bracket["misses"]
    assert meets["shown"] and misses["shown"], "both ends are shown"
    assert min(meets["runs"], misses["runs"]) >= 3, "by fresh runs"
    # A second's tokens and the queue of 50 ms let a little more through than the limit says.
    assert meets["load"] <= IOPS * 1.12 and misses["load"] >= IOPS * 0.95, "the throttle is between them"
    assert misses["load"] / meets["load"] < 1.6, "and they are close"


if __name__ == "__main__":
    main()

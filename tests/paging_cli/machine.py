"""What the tests of `fathom paging` share: calling it, and looking whether the machine is as it was."""
import glob
import os
import subprocess

FATHOM = os.environ["FATHOM"]
PMBENCH = os.path.join(os.path.dirname(FATHOM), "pmbench")
SLOW_BUILD = os.environ.get("FATHOM_SANITIZE", "") != ""


def call(*args, program=FATHOM, timeout=100, **more):
    return subprocess.run([program, *args], capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL, **more)


def paging(*args, **more):
    return call("paging", *args, **more)


def read(path):
    with open(path) as file:
        return file.read()


def left_of(pid, marks):
    """What the run with this process id has left behind. Others may press on memory meanwhile, so its things are known by their marks: the
    size of its zram device, the value that it gave page-cluster, its name on cgroups."""
    left = [p for p in glob.glob("/sys/block/zram*") if read(p + "/disksize").strip() == str(marks["zram_bytes"])]
    left += [d for d, _, _ in os.walk("/sys/fs/cgroup") if d.endswith(f"fathom-paging-{pid}")]
    left += ["page-cluster"] if read("/proc/sys/vm/page-cluster").strip() == str(marks["page_cluster"]) else []
    return left


def can_press():
    """Why pressure cannot be made here, or nothing."""
    if os.geteuid() != 0:
        return "not root"
    if not os.path.exists("/sys/class/zram-control/hot_add"):
        return "this kernel has no zram"
    controllers = read("/sys/fs/cgroup/cgroup.controllers") if os.path.exists("/sys/fs/cgroup/cgroup.controllers") else ""
    if "memory" not in controllers and not os.path.isdir("/sys/fs/cgroup/memory"):
        return "no memory cgroup"
    return ""

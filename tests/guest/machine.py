"""The machine of all guests: QEMU without KVM and without root. It has the hardware of every test, so that a kernel boots once for all of them:
  00:01.0  NV0    two namespaces, 512 and 4096 bytes a block, on the root bus
  00:02.0  port   DISK, the only NVMe disk of 512 MiB; the link is as wide and fast as both sides can
  00:03.0  port   SATA, a disk behind an AHCI controller, for which the cloud kernels have no driver
  00:04.0  port   SLOW, an NVMe disk; the port could do more than the link to it does
  00:05.0  port   NV1, one namespace of 512 bytes; it can be unplugged
  00:07.0  port   ZONED, an NVMe disk with zones of 4 MiB, 3 MiB of which can be written
  00:06.0  SHARED[0], and SHARED[1] at 00:06.1: two functions of one device and so in one IOMMU group, without media
pmu/fathom_test_pmu.c names its PMUs after the ports 00:02.0 and 00:03.0. Linux numbers NVMe controllers in the order of the root bus, then of the
buses behind the ports. Only the width of the IOMMU and the CPUs of the two memory nodes differ between boots.
A step's output comes over a second serial line, so kernel messages never come between. A step may print "@@host REQUEST ARGUMENT", and a row of
`host` answers it (QMP). QEMU ends after STEP_S without the end of a step. no_timer_check: on a busy host the emulated timer is late."""
import ctypes.util
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

import debian_packages
import initramfs

BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD", "build"))
NV0, NV1, SHARED = "0000:00:01.0", "0000:04:00.0", ("0000:00:06.0", "0000:00:06.1")
CONTROLLERS = 7
DISK, SLOW, SATA, ZONED = "nvme3n1", "nvme4n1", "sda", "nvme6n1"
DRIVES_MIB = {"nv0n1": 64, "nv0n2": 64, "nv1": 64, "disk": 512, "sata": 256, "slow": 256, "zoned": 64}
NODES_MIB = 448, 320
ALL_ON_THE_FIRST, ONE_EACH = ("0-1", None), ("0", "1")  # the CPUs of each node: DRAM beside a slow tier, or two sockets
IOMMU_ON, IOMMU_OFF = "intel_iommu=on iommu=nopt", "intel_iommu=off"
STEP_S = 240
PRELUDE = f"""export LD_LIBRARY_PATH=/bin  # libbpf is opened by name, and is beside the programs here
NVME=/dev/{DISK}
SLOW=/dev/{SLOW}
SATA=/dev/{SATA}
say() {{ echo "--- $*"; }}
"""
START = """mkdir -p /run /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
mount -t tracefs tracefs /sys/kernel/tracing
for i in $(seq 300); do [ -b /dev/nvme0n2 ] && [ -b $NVME ] && [ -b $SLOW ] && break; sleep 0.1; done
grep -q memory /sys/fs/cgroup/cgroup.controllers && [ -b $NVME ] && [ -b $SLOW ] && echo started
"""


class Step:
    def __init__(self):
        self.lines, self.status, self.seconds = [], None, 0.0

    @property
    def text(self):
        return "\n".join(self.lines)


class Machine:
    def __init__(self, folder, aw_bits=39, node_cpus=ALL_ON_THE_FIRST, iommu=IOMMU_ON):
        self.folder, self.aw_bits, self.node_cpus, self.iommu = pathlib.Path(folder), aw_bits, node_cpus, iommu
        self.images = {name: self.folder / f"{name}.img" for name in DRIVES_MIB}
        for name, path in self.images.items():
            with open(path, "wb") as image:
                image.truncate(DRIVES_MIB[name] << 20)
        self.console = self.folder / "console.log"
        self.steps, self.boot_s, self.wall_s = {}, 0.0, 0.0
        self.finished, self.crashed, self.killer = False, False, None
        self.stray = []  # lines outside of steps
        self.host = {"device_del": lambda argument: self.qmp("device_del", id=argument), "throttle": self.throttle}

    def command(self, kernel, archive):
        drives = [word for name, path in self.images.items() for word in ("-drive", f"id={name},file={path},format=raw,if=none,cache=unsafe")]
        nodes = [word for n, (mib, cpus) in enumerate(zip(NODES_MIB, self.node_cpus)) for word in
                 ("-object", f"memory-backend-ram,id=m{n},size={mib}M", "-numa", f"node,nodeid={n},memdev=m{n}" + (f",cpus={cpus}" if cpus else ""))]
        return ["qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", str(sum(NODES_MIB)), *nodes,
                "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-serial", f"file:{self.console}", "-serial", "stdio",
                "-qmp", f"unix:{self.folder}/qmp,server=on,wait=off", "-device", f"intel-iommu,intremap=on,caching-mode=on,aw-bits={self.aw_bits}", *drives,
                "-device", "nvme,id=nv0,serial=EMU0001,max_ioqpairs=8,mdts=5,addr=1",
                "-device", "nvme-ns,drive=nv0n1,bus=nv0,nsid=1,logical_block_size=512",
                "-device", "nvme-ns,drive=nv0n2,bus=nv0,nsid=2,logical_block_size=4096,physical_block_size=4096",
                "-device", "pcie-root-port,id=rp2,chassis=2,slot=2,addr=2,x-speed=2_5,x-width=1,hotplug=off",
                "-device", "nvme,id=nvd,serial=EMU0005,bus=rp2,drive=disk,addr=0,max_ioqpairs=2,mdts=7",
                "-device", "pcie-root-port,id=rp3,chassis=3,slot=3,addr=3,x-speed=2_5,x-width=1,hotplug=off",
                "-device", "ich9-ahci,id=ahci0,bus=rp3,addr=0", "-device", "ide-hd,bus=ahci0.0,drive=sata",
                "-device", "pcie-root-port,id=rp4,chassis=4,slot=4,addr=4,x-speed=16,x-width=4,hotplug=off",
                "-device", "nvme,id=nvs,serial=EMU0006,bus=rp4,drive=slow,addr=0,max_ioqpairs=2,mdts=7",
                "-device", "pcie-root-port,id=rp5,chassis=5,slot=5,addr=5",
                "-device", "nvme,id=nv1,serial=EMU0002,bus=rp5,drive=nv1,mdts=5",
                "-device", "pcie-root-port,id=rp7,chassis=7,slot=7,addr=7,hotplug=off",
                "-device", "nvme,id=nvz,serial=EMU0007,bus=rp7,addr=0,max_ioqpairs=2,mdts=7",
                "-device", "nvme-ns,drive=zoned,bus=nvz,nsid=1,zoned=true,zoned.zone_size=4M,zoned.zone_capacity=3M,zoned.max_open=4,zoned.max_active=6,"
                           "logical_block_size=4096,physical_block_size=4096",
                "-drive", "id=null,file=null-co://,format=raw,if=none,file.size=64M,file.read-zeroes=on",
                "-device", "nvme,id=nv2,serial=EMU0003,drive=null,addr=6.0,multifunction=on", "-device", "nvme,id=nv3,serial=EMU0004,addr=6.1",
                "-kernel", str(kernel), "-initrd", str(archive),
                "-append", f"console=ttyS0 quiet panic=-1 no_timer_check psi=1 cgroup_no_v1=all {self.iommu}"]

    def run(self, parts, modules, programs, files, steps):
        """Boots, runs `start` and the steps, powers off. A step that never ended has status None in self.steps."""
        archive = self.folder / "initramfs.cpio"
        initramfs.build(archive, parts.busybox, parts.load_order(["nvme", *modules]), {"fathom": os.environ["FATHOM"], **libbpf(), **programs}, files,
                        [(name, PRELUDE + text) for name, text in (("start", START), *steps)])
        begun = time.monotonic()
        with open(self.folder / "qemu.err", "wb") as errors:
            process = subprocess.Popen(self.command(parts.image, archive), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        try:
            self._watch(process)
            self._read(process, begun)
            process.wait()
        finally:
            self.killer.cancel()
            process.kill()
            process.wait()
        self.wall_s = time.monotonic() - begun
        self.finished = process.returncode == 0
        self.crashed = process.returncode == -signal.SIGSEGV  # QEMU itself, not the guest

    def _watch(self, process):
        """Begins to count STEP_S again."""
        if self.killer:
            self.killer.cancel()
        self.killer = threading.Timer(STEP_S, process.kill)
        self.killer.start()

    def _read(self, process, begun):
        step, since = None, begun
        for raw in process.stdout:
            line = raw.decode(errors="replace").rstrip("\r\n")
            marked = re.match(rf"({initramfs.BEGIN}|{initramfs.END}|@@host) (\S+) ?(.*)", line)
            if not marked:
                (step.lines if step else self.stray).append(line)
                continue
            mark, name, rest = marked.groups()
            if mark == "@@host":
                self.host[name](rest)
                continue
            self._watch(process)
            if mark == initramfs.BEGIN:
                self.boot_s, since = self.boot_s or time.monotonic() - begun, time.monotonic()
                step = self.steps[name.partition("-")[2]] = Step()
            else:
                step.status, step.seconds = int(rest), time.monotonic() - since
                step = None

    def qmp(self, command, **arguments):
        """One command over QEMU's monitor socket."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(20)
            connection.connect(str(self.folder / "qmp"))
            stream = connection.makefile("rw")
            stream.readline()
            for request in ({"execute": "qmp_capabilities"}, {"execute": command, "arguments": arguments}):
                stream.write(json.dumps(request) + "\n")
                stream.flush()
                answer = json.loads(stream.readline())
                while "event" in answer:
                    answer = json.loads(stream.readline())
        return answer

    def throttle(self, argument):
        """DRIVE IOPS; 0: no limit."""
        drive, iops = argument.split()
        zero = dict.fromkeys(("bps", "bps_rd", "bps_wr", "iops_rd", "iops_wr"), 0)
        answer = self.qmp("block_set_io_throttle", device=drive, iops=int(iops), **zero)
        if "error" in answer:
            print(f"     QEMU does not throttle {drive}: {answer}")

    def trouble(self):
        """What to show when a step is missing: QEMU's own words and the end of the guest's console."""
        console = self.console.read_text(errors="replace") if self.console.exists() else ""
        return (self.folder / "qemu.err").read_text(errors="replace") + "\n".join(self.stray[-20:]) + "\n" + console[-4000:]


def libbpf():
    """{its name: where it is}: opened by the program at run time, so nothing that it is linked with names it. Nothing where there is none."""
    name = ctypes.util.find_library("bpf")
    return {} if name is None else {name: next(path for path in pathlib.Path("/usr/lib").glob(f"*/{name}"))}


def require(kernel):
    """The guest's parts, or debian_packages.Missing with the reason."""
    if os.uname().machine != "x86_64":
        raise debian_packages.Missing("the guest is an x86-64 machine, and its programs are built here for another")
    if not shutil.which("qemu-system-x86_64"):
        raise debian_packages.Missing("qemu-system-x86_64 is not installed (scripts/setup --test)")
    return debian_packages.Guest(BUILD / "guest", *kernel)


def new_folder():
    return tempfile.TemporaryDirectory(prefix="fathom-guest-")

"""QEMU with NVMe controllers behind its Intel IOMMU, emulated (TCG: no KVM, no root). One boot runs a list of named steps:
  nv0  two namespaces, 512 and 4096 bytes a block, on raw images, on the root bus
  nv1  one namespace of 512 bytes, behind a PCIe root port, so that it can be unplugged
  nv2, nv3  two functions of one device and so in one IOMMU group, without media: neither can be had while the kernel uses the other
The guest's console goes to a file; the steps' output comes over a second serial line, so that kernel messages never come between. A step
may print "@@host REQUEST ARGUMENT" and a row of `host` answers it (QMP). QEMU never outlives the time limit or the caller. On a busy
machine the emulated timer is late: no_timer_check keeps the kernel from taking that for a broken one."""
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

NV0, NV0_PORT = "0000:00:04.0", "4"
NV1, ROOT_PORT = "0000:01:00.0", "0000:00:05.0"
SHARED = "0000:00:06.0", "0000:00:06.1"


class Step:
    def __init__(self, name):
        self.name, self.lines, self.status, self.seconds = name, [], None, 0.0

    @property
    def text(self):
        return "\n".join(self.lines)


class Qmp:
    """One command at a time over QEMU's monitor socket."""

    def __init__(self, path):
        self.path = str(path)

    def __call__(self, command, **arguments):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(20)
            connection.connect(self.path)
            stream = connection.makefile("rw")
            stream.readline()
            answers = []
            for request in ({"execute": "qmp_capabilities"}, {"execute": command, "arguments": arguments}):
                stream.write(json.dumps(request) + "\n")
                stream.flush()
                answer = json.loads(stream.readline())
                while "event" in answer:
                    answer = json.loads(stream.readline())
                answers.append(answer)
        return answers[-1]


def sparse_image(path, size_bytes):
    with open(path, "wb") as image:
        image.truncate(size_bytes)
    return path


class Machine:
    modules = ["vfio_iommu_type1", "vfio_pci"]  # inserted before the first step, with what they depend on
    extra_files = {}  # {path in the guest: bytes}

    def __init__(self, folder, aw_bits, image_bytes=64 << 20, timeout_s=120):
        self.folder, self.aw_bits, self.timeout_s = pathlib.Path(folder), aw_bits, timeout_s
        self.images = [sparse_image(self.folder / f"n{n}.img", image_bytes) for n in range(3)]
        self.console = self.folder / "console.log"
        self.steps, self.wall_s, self.boot_s = {}, 0.0, 0.0
        self.finished = self.crashed = False
        self.stray = []  # lines outside of steps
        self.qmp = Qmp(self.folder / "qmp")
        self.host = {"device_del": lambda argument: self.qmp("device_del", id=argument)}

    def command(self, guest, archive):
        d = self.folder
        drives = [word for n, image in enumerate(self.images)
                  for word in ("-drive", f"id=d{n},file={image},format=raw,if=none,cache=unsafe")]
        return ["qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "1", "-m", "640",
                "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                "-serial", f"file:{self.console}", "-serial", "stdio", "-qmp", f"unix:{d}/qmp,server=on,wait=off",
                "-device", f"intel-iommu,intremap=on,caching-mode=on,aw-bits={self.aw_bits}", *drives,
                "-device", f"nvme,id=nv0,serial=EMU0001,max_ioqpairs=8,mdts=5,addr={NV0_PORT}",
                "-device", "nvme-ns,drive=d0,bus=nv0,nsid=1,logical_block_size=512",
                "-device", "nvme-ns,drive=d1,bus=nv0,nsid=2,logical_block_size=4096,physical_block_size=4096",
                "-device", "pcie-root-port,id=slot1,chassis=1,slot=1,addr=5",
                "-device", "nvme,id=nv1,serial=EMU0002,bus=slot1,drive=d2,mdts=5",
                "-drive", "id=d3,file=null-co://,format=raw,if=none,file.size=64M,file.read-zeroes=on",
                "-device", "nvme,id=nv2,serial=EMU0003,drive=d3,addr=6.0,multifunction=on",
                "-device", "nvme,id=nv3,serial=EMU0004,addr=6.1",
                "-kernel", str(guest.image), "-initrd", str(archive),
                "-append", "console=ttyS0 quiet intel_iommu=on iommu=nopt panic=-1 no_timer_check"]

    def run(self, guest, programs, steps):
        """Boots, runs the steps, powers off. {name: Step}; a step that never ended has status None."""
        modules = guest.load_order(self.modules)
        archive = self.folder / "initramfs.cpio"
        initramfs.build(archive, guest.busybox, modules, programs, steps, self.extra_files)
        begun = time.monotonic()
        with open(self.folder / "qemu.err", "wb") as errors:
            process = subprocess.Popen(self.command(guest, archive), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        killer = threading.Timer(self.timeout_s, process.kill)
        killer.start()
        try:
            self._read(process.stdout, begun)
            process.wait()
        finally:
            killer.cancel()
            process.kill()
            process.wait()
        self.wall_s = time.monotonic() - begun
        self.finished = process.returncode == 0
        self.crashed = process.returncode == -signal.SIGSEGV  # QEMU itself, not the guest
        return self.steps

    def _read(self, stream, begun):
        step = None
        since = begun
        for raw in stream:
            line = raw.decode(errors="replace").rstrip("\r\n")
            marked = re.match(rf"({initramfs.BEGIN}|{initramfs.END}|@@host) (\S+) ?(.*)", line)
            if not marked:
                (step.lines if step else self.stray).append(line)
                continue
            mark, name, rest = marked.groups()
            if mark == "@@host":
                self.host[name](rest)
                continue
            name = name.partition("-")[2]
            if mark == initramfs.BEGIN:
                if not self.steps:
                    self.boot_s = time.monotonic() - begun
                step = self.steps[name] = Step(name)
                since = time.monotonic()
            else:
                step.status, step.seconds = int(rest), time.monotonic() - since
                step = None

    def trouble(self):
        """What to show when a step is missing: QEMU's own words and the end of the guest's console."""
        console = self.console.read_text(errors="replace") if self.console.exists() else ""
        return (self.folder / "qemu.err").read_text(errors="replace") + "\n".join(self.stray[-20:]) + "\n" + console[-4000:]


def libbpf():
    """{its name: where it is}: opened by the program at run time, so nothing that it is linked with names it. Nothing where there is none."""
    name = ctypes.util.find_library("bpf")
    return {} if name is None else {name: next(path for path in pathlib.Path("/usr/lib").glob(f"*/{name}"))}


def require(kernel=debian_packages.KERNEL):
    """The guest's parts, or debian_packages.Missing with the reason."""
    if os.uname().machine != "x86_64":
        raise debian_packages.Missing("the guest is an x86-64 machine, and its programs are built here for another")
    if not shutil.which("qemu-system-x86_64"):
        raise debian_packages.Missing("qemu-system-x86_64 is not installed (scripts/setup --test)")
    return debian_packages.Guest(debian_packages.cache_folder(), kernel)


def new_folder():
    return tempfile.TemporaryDirectory(prefix="fathom-guest-")

"""The guest's whole file system: a cpio archive (format "newc") of busybox, kernel modules, programs with the libraries that ldd names,
and an /init that runs named steps and says over a serial line of its own where each begins and ends."""
import pathlib
import re
import subprocess

BEGIN, END = "@@begin", "@@end"
INIT = """#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /tmp /var/tmp /root
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sys /sys
/bin/busybox mount -t tmpfs tmp /tmp
/bin/busybox mount -t tmpfs tmp /var/tmp
/bin/busybox --install -s /bin
export PATH=/bin HOME=/root
stty -F /dev/ttyS1 raw -echo
exec </dev/ttyS1 >/dev/ttyS1 2>&1
for module in /modules/*.ko; do [ ! -e $module ] || insmod $module || echo "insmod $module failed"; done
for step in /steps/*; do
  echo "@@begin ${step##*/}"
  sh $step
  echo "@@end ${step##*/} $?"
done
poweroff -f
"""


def libraries(program):
    """{path in the guest: path here} of what a program is linked with; empty for a static one."""
    listed = subprocess.run(["ldd", str(program)], capture_output=True, text=True).stdout
    return {path: path for path in re.findall(r"(?:=> |^\s*)(/\S+) \(0x", listed, re.M)}


class Archive:
    def __init__(self):
        self.content, self.folders, self.number = bytearray(), set(), 0

    def _entry(self, name, mode, data=b""):
        self.number += 1
        fields = (self.number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
        self.content += b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
        self.content += bytes(-len(self.content) % 4) + data
        self.content += bytes(-len(self.content) % 4)

    def add(self, name, data, executable=False):
        parent = pathlib.PurePosixPath(name).parent
        for folder in [*reversed(parent.parents), parent]:
            if str(folder) not in (".", "/") and folder not in self.folders:
                self.folders.add(folder)
                self._entry(str(folder), 0o040755)
        self._entry(name, 0o100755 if executable else 0o100644, data)

    def bytes(self):
        self._entry("TRAILER!!!", 0)
        return bytes(self.content) + bytes(-len(self.content) % 512)


def build(target, busybox, modules, programs, files, steps):
    """Writes the archive. modules: [(name, bytes)]; programs: {name in /bin: path here}; files: {path: bytes}; steps: [(name, shell text)]."""
    archive = Archive()
    archive.add("init", INIT.encode(), executable=True)
    archive.add("bin/busybox", pathlib.Path(busybox).read_bytes(), executable=True)
    for index, (name, content) in enumerate(modules):
        archive.add(f"modules/{index:03}-{name}.ko", content)
    needed = {}
    for name, path in programs.items():
        archive.add(f"bin/{name}", pathlib.Path(path).read_bytes(), executable=True)
        needed.update(libraries(path))
    for inside, here in needed.items():
        archive.add(inside.lstrip("/"), pathlib.Path(here).read_bytes(), executable=True)
    for inside, content in files.items():
        archive.add(inside.lstrip("/"), content)
    for index, (name, text) in enumerate(steps):
        archive.add(f"steps/{index:03}-{name}", text.encode())
    target.write_bytes(archive.bytes())

"""QEMU with two disks, each alone behind a PCIe root port, at the addresses that the test module's PMUs are named after:
  0000:00:02.0  pcie_bdf_200  an NVMe disk; the link is as wide and fast as both sides can
  0000:00:03.0  pcie_bdf_300  a SATA disk behind an AHCI controller
  0000:00:04.0  no PMU        a small NVMe disk; the port could do more than the link to it does
A step asks the host for what only it can do: "@@host throttle DRIVE IOPS" (0: no limit)."""
from machine import Machine

NVME_PORT, SATA_PORT, SLOW_PORT = "0000:00:02.0", "0000:00:03.0", "0000:00:04.0"
NVME, SATA, SLOW = "/dev/nvme0n1", "/dev/sda", "/dev/nvme1n1"
DISK_BYTES = 256 << 20


class PmuMachine(Machine):
    modules = ["nvme", "ahci", "sd_mod", "loop", "zram", "crc32c_generic", "ext4", "aer_inject", "dm_delay", "configfs"]

    def __init__(self, folder, later_modules, timeout_s):
        """later_modules: {name: bytes} of those that steps insert, with options of theirs."""
        super().__init__(folder, aw_bits=39, image_bytes=DISK_BYTES, timeout_s=timeout_s)
        self.extra_files = {f"lib/{name}.ko": content for name, content in later_modules.items()}
        self.host = {"throttle": self.throttle}

    def throttle(self, argument):
        drive, iops = argument.split()
        zero = dict.fromkeys(("bps", "bps_rd", "bps_wr", "iops_rd", "iops_wr"), 0)
        answer = self.qmp("block_set_io_throttle", device=drive, iops=int(iops), **zero)
        if "error" in answer:
            print(f"     QEMU does not throttle {drive}: {answer}")

    def command(self, guest, archive):
        d = self.folder
        drives = [word for n, image in enumerate(self.images)
                  for word in ("-drive", f"id=d{n},file={image},format=raw,if=none,cache=unsafe")]
        return ["qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "768",
                "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                "-serial", f"file:{self.console}", "-serial", "stdio", "-qmp", f"unix:{d}/qmp,server=on,wait=off", *drives,
                "-device", "pcie-root-port,id=rp2,chassis=2,slot=2,addr=2,x-speed=2_5,x-width=1,hotplug=off",
                "-device", "nvme,id=nv0,serial=EMU0001,bus=rp2,drive=d0,addr=0,max_ioqpairs=2,mdts=7",
                "-device", "pcie-root-port,id=rp3,chassis=3,slot=3,addr=3,x-speed=2_5,x-width=1,hotplug=off",
                "-device", "ich9-ahci,id=ahci0,bus=rp3,addr=0", "-device", "ide-hd,bus=ahci0.0,drive=d1",
                "-device", "pcie-root-port,id=rp4,chassis=4,slot=4,addr=4,x-speed=16,x-width=4,hotplug=off",
                "-device", "nvme,id=nv1,serial=EMU0002,bus=rp4,drive=d2,addr=0,max_ioqpairs=2",
                "-kernel", str(guest.image), "-initrd", str(archive),
                "-append", "console=ttyS0 quiet panic=-1 no_timer_check"]

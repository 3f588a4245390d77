"""QEMU with two memory nodes, all CPUs on the first (as DRAM and a slow tier lie beside each other), and an NVMe disk to swap to. The guest
has cgroup v2 with the memory controller, PSI, zram."""
import machine

CPUS = 2
NODE_MIB = 448, 320
DISK_BYTES = 512 << 20


class PagingMachine(machine.Machine):
    def __init__(self, folder, timeout_s, modules=("zram", "lzo_rle")):
        super().__init__(folder, aw_bits=39, image_bytes=DISK_BYTES, timeout_s=timeout_s)
        self.modules = list(modules)

    def command(self, guest, archive):
        d = self.folder
        nodes = [word for n, mib in enumerate(NODE_MIB)
                 for word in ("-object", f"memory-backend-ram,id=m{n},size={mib}M",
                              "-numa", f"node,nodeid={n},memdev=m{n}" + (f",cpus=0-{CPUS - 1}" if n == 0 else ""))]
        return ["qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", str(CPUS),
                "-m", f"{sum(NODE_MIB)}", *nodes, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                "-serial", f"file:{self.console}", "-serial", "stdio", "-qmp", f"unix:{d}/qmp,server=on,wait=off",
                "-drive", f"id=d0,file={self.images[0]},format=raw,if=none,cache=unsafe",
                "-device", "nvme,id=nv0,serial=EMU0001,drive=d0,max_ioqpairs=2,mdts=7",
                "-kernel", str(guest.image), "-initrd", str(archive),
                "-append", "console=ttyS0 quiet panic=-1 no_timer_check psi=1"]

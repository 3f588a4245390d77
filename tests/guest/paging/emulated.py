"""QEMU with two memory nodes and an NVMe disk to swap to. All CPUs are on the first node (as DRAM and a slow tier lie beside each other), or
each has one. The guest has cgroup v2 with the memory controller, PSI, zram."""
import machine

CPUS = 2
NODE_MIB = 448, 320
DISK_BYTES = 512 << 20
ALL_ON_THE_FIRST, ONE_EACH = (f"0-{CPUS - 1}", None), ("0", "1")  # the CPUs of each node


class PagingMachine(machine.Machine):
    def __init__(self, folder, timeout_s, modules=("zram", "lzo_rle"), node_cpus=ALL_ON_THE_FIRST):
        super().__init__(folder, aw_bits=39, image_bytes=DISK_BYTES, timeout_s=timeout_s)
        self.modules, self.node_cpus = list(modules), node_cpus

    def command(self, guest, archive):
        d = self.folder
        nodes = [word for n, mib in enumerate(NODE_MIB)
                 for word in ("-object", f"memory-backend-ram,id=m{n},size={mib}M",
                              "-numa", f"node,nodeid={n},memdev=m{n}" + (f",cpus={self.node_cpus[n]}" if self.node_cpus[n] else ""))]
        return ["qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", str(CPUS),
                "-m", f"{sum(NODE_MIB)}", *nodes, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                "-serial", f"file:{self.console}", "-serial", "stdio", "-qmp", f"unix:{d}/qmp,server=on,wait=off",
                "-drive", f"id=d0,file={self.images[0]},format=raw,if=none,cache=unsafe",
                "-device", "nvme,id=nv0,serial=EMU0001,drive=d0,max_ioqpairs=2,mdts=7",
                "-kernel", str(guest.image), "-initrd", str(archive),
                "-append", "console=ttyS0 quiet panic=-1 no_timer_check psi=1"]

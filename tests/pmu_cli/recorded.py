"""The server of the PCIe PMU article as /sys would show it, in a folder, and the trees of tests/pmu/sysfs: for `fathom pmu list --root`."""
import os
import pathlib

ROOT_PORT = ("0x060400", "0x1ded", "0x8000", "pcieport")
SATA = ("0x010601", "0x1b4b", "0x9235", "ahci")
NETWORK = ("0x020000", "0x15b3", "0x1017", "mlx5_core")
NVME = ("0x010802", "0x144d", "0xa808", "nvme")
EVENTS = {"Rx_PCIe_TLP_Data_Payload": "eventid=0x21,type=0x0", "Tx_PCIe_TLP_Data_Payload": "eventid=0x20,type=0x0",
          "L0": "eventid=0x3,type=0x0", "rx_memory_write": "eventid=0x70b,type=0x1,lane=?"}
PORTS = [f"{bus}:{device}.0" for bus in ("00", "10", "30", "80") for device in ("00", "01", "02", "03")] + ["98:00.0", "b0:00.0"]


class Recording:
    def __init__(self, folder):
        self.root = pathlib.Path(folder)

    def write(self, path, text):
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n")

    def link(self, path, target):
        link = self.root / path.lstrip("/")
        link.parent.mkdir(parents=True, exist_ok=True)
        os.symlink(os.path.relpath(self.root / target.lstrip("/"), link.parent), link)

    def function(self, below, pci, node=0, lanes=None):
        folder = f"/sys/devices/{below}"
        for name, value in zip(("class", "vendor", "device"), pci):
            self.write(f"{folder}/{name}", value)
        self.write(f"{folder}/numa_node", node)
        self.link(f"{folder}/driver", f"/sys/bus/pci/drivers/{pci[3]}")
        self.link(f"/sys/bus/pci/devices/{below.split('/')[-1]}", folder)
        if lanes:
            for name, value in (("speed", "8.0 GT/s PCIe"), ("width", lanes)):
                self.write(f"{folder}/current_link_{name}", value)
            self.write(f"{folder}/max_link_speed", "32.0 GT/s PCIe")
            self.write(f"{folder}/max_link_width", lanes)

    def block(self, below, number, partition=False):
        self.write(f"/sys/devices/{below}/dev", number)
        if partition:
            self.write(f"/sys/devices/{below}/partition", 1)
        self.link(f"/sys/class/block/{below.split('/')[-1]}", f"/sys/devices/{below}")
        self.link(f"/sys/dev/block/{number}", f"/sys/devices/{below}")

    def pmu(self, name, kind, events, formats):
        folder = f"/sys/bus/event_source/devices/{name}"
        self.write(f"{folder}/type", kind)
        self.write(f"{folder}/cpumask", 0)
        for term, bits in formats.items():
            self.write(f"{folder}/format/{term}", bits)
        for event, terms in events.items():
            self.write(f"{folder}/events/{event}", terms)


def unpack(manifest, folder):
    """A tree of small files from its text, as tests/host/manifest.h reads it."""
    below = pathlib.Path(folder)
    for line in pathlib.Path(manifest).read_text().split("\n"):
        if line.startswith("["):
            below = pathlib.Path(folder, line[1:-1])
        elif line and not line.startswith("#"):
            name, _, content = line.partition(" =")
            file = below / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content[2:] if content[0] == "~" else f"{content[1:]}\n")


def article_server(folder):
    tree = Recording(folder)
    for kind, port in enumerate(PORTS, 20):
        tree.function(f"pci0000:{port[:2]}/0000:{port}", ROOT_PORT, node=int(port[:2] in ("80", "98", "b0")), lanes=16 if port[0] in "9b" else 4)
        digits = f"{int(port.replace(':', '').replace('.', '0'), 16):x}"
        tree.pmu(f"pcie_bdf_{digits}", kind, EVENTS, {"eventid": "config:0-15", "type": "config:16-19", "lane": "config:20-27"})
    sata = "pci0000:00/0000:00:02.0/0000:04:00.0"
    disk = f"{sata}/ata1/host0/target0:0:0/0:0:0:0/block/sda"
    tree.function(sata, SATA)
    tree.block(disk, "8:0")
    tree.block(f"{disk}/sda4", "8:4", partition=True)
    for function in "01":
        tree.function(f"pci0000:b0/0000:b0:00.0/0000:b1:00.{function}", NETWORK, node=1)
    for index, port in enumerate(("10:00.0", "30:03.0")):
        nvme = f"pci0000:{port[:2]}/0000:{port}/0000:{port[0]}1:00.0"
        tree.function(nvme, NVME)
        tree.block(f"{nvme}/nvme/nvme{index}/nvme{index}n1", f"259:{index}")
    tree.block("virtual/block/md0", "9:0")
    for index in range(2):
        tree.write(f"/sys/class/block/md0/slaves/nvme{index}n1/x", "")
    tree.block("virtual/block/zram0", "252:0")
    return tree

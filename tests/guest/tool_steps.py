"""The finished program on the emulated controller, as the owner of a disk would use it: list, setup, bind, identify, log, perf, unbind;
refusals with their exit status; and passthrough on /dev/ng0n1 beside it, through the kernel's driver."""
import json

from machine import NV0, NV1

SWAP_ON = f"disk=/dev/$(ls /sys/bus/pci/devices/{NV1}/nvme/*/ | grep '^nvme.n1'); mkswap $disk >/dev/null; swapon $disk"
BACK = "for i in $(seq 50); do [ -b /dev/nvme0n1 ] && [ -b /dev/nvme0n2 ] && [ -c /dev/ng0n1 ] && break; sleep 0.2; done"
WRITTEN, WRITTEN_BYTES = 32 << 20, 4 << 20

STEPS = [
    ("tool_list", "fathom nvme list"),
    ("tool_setup", "fathom nvme setup --huge=64"),
    ("tool_in_use", f"{SWAP_ON}; fathom nvme bind {NV1}; echo status $?; swapoff $disk"),
    ("tool_uring_cmd", "fathom run --name=c --ioengine=io_uring_cmd --cmd_type=nvme --filename=/dev/ng0n1 --rw=randread --bs=4k --iodepth=8 "
                       "--size=4m --output-format=json"),
    ("tool_unbound_perf", f"fathom nvme perf --device={NV0} --runtime=1; echo status $?"),
    ("tool_bind", f"fathom nvme bind {NV0}"),
    ("tool_identify", f"fathom nvme identify {NV0}"),
    ("tool_log", f"fathom nvme log {NV0} smart"),
    ("tool_perf", f"fathom nvme perf --device={NV0} --device={NV0}/2 --iodepth=16 --runtime=1 --output-format=json"),
    ("tool_unwanted_write", f"fathom nvme perf --device={NV0}/2 --rw=write --runtime=1; echo status $?"),
    ("tool_verify", f"fathom nvme perf --device={NV0}/2 --rw=write --bs=64k --offset={WRITTEN} --size={WRITTEN_BYTES} --time_based=0 "
                    f"--verify=crc32c --allow-destructive={NV0}/2 --output-format=json"),
    ("tool_absent", f"fathom nvme perf --device={NV0}/7 --runtime=1; echo status $?"),
    ("tool_unbind", f"fathom nvme unbind {NV0}; {BACK}"),
    ("tool_after", "guest_driver compare /dev/nvme0n1; guest_driver compare /dev/nvme0n2"),
]

# What a step's text must hold, every piece of it.
HOLDS = {
    "tool_list": [f"{NV0}  1b36:0010  driver nvme", "serial EMU0001", "/dev/nvme0n2", "4096 bytes: free"],
    "tool_setup": ["-> 32 huge pages of 2 MiB, 32 free", "IOMMU: on", "vfio-pci: loaded"],
    "tool_in_use": ["error:", "in use as swap", "status 2"],
    "tool_unbound_perf": ["error:", "fathom nvme bind", "status "],
    "tool_bind": ["driver: nvme -> vfio-pci"],
    "tool_identify": ["EMU0001", "QEMU NVMe Ctrl", "131072 blocks of 512 bytes", "16384 blocks of 4096 bytes"],
    "tool_log": ["critical_warning", "323 K"],
    "tool_unwanted_write": ["error:", f"--allow-destructive={NV0}/2", "status 2"],
    "tool_absent": ["error:", "namespace 7", "active are 1, 2", "status "],
    "tool_unbind": ["driver: vfio-pci -> nvme"],
    "tool_after": ["result kernel_reads_same_1 ok", "result kernel_reads_same_2 ok"],
}


def jobs(text):
    """The jobs of a JSON report among other words; [] when there is none."""
    start = text.find("{\n")
    try:
        return json.JSONDecoder().raw_decode(text[start:])[0]["jobs"] if start >= 0 else []
    except (ValueError, KeyError):
        return []


def check_report(check, boot, guest, name, direction, least):
    text = guest.steps[name].text if name in guest.steps else ""
    found = jobs(text)
    good = len(found) == 1 and found[0]["error"] == 0 and found[0][direction]["total_ios"] >= least and found[0][direction]["iops"] > 0
    check(good, f"{boot}: {name}: at least {least} {direction}s without an error", text[-1500:])


def check_tool(check, boot, guest):
    for name, pieces in HOLDS.items():
        text = guest.steps[name].text if name in guest.steps else "the guest stopped before"
        for piece in pieces:
            check(piece in text, f"{boot}: {name}: {piece}", text[-1500:])
        check("status 0" not in text, f"{boot}: {name}: exit status", text[-1500:])
    check_report(check, boot, guest, "tool_uring_cmd", "read", 1024)
    check_report(check, boot, guest, "tool_perf", "read", 100)
    check_report(check, boot, guest, "tool_verify", "write", WRITTEN_BYTES >> 16)
    with open(guest.images[1], "rb") as image:
        image.seek(WRITTEN)
        blocks = [image.read(65536) for _ in range(WRITTEN_BYTES >> 16)]
    check(len({*blocks, bytes(65536)}) == len(blocks) + 1, f"{boot}: tool_verify: every block in the image is filled and no two are the same")

"""The finished program on the emulated controller, after its driver: list, setup, bind, identify, log, perf, unbind; refusals with their exit status; and
passthrough on /dev/ng0n1, through the kernel's driver."""
from machine import NV0, NV1
from nvme import driver
from nvme.driver import BACK
from pieces import decoded

SWAP_ON = f"disk=/dev/$(ls /sys/bus/pci/devices/{NV1}/nvme/*/ | grep '^nvme.n1'); mkswap $disk >/dev/null; swapon $disk"
WRITTEN, WRITTEN_BYTES = 32 << 20, 4 << 20
ROWS = driver.PREPARE + driver.DRIVER

STEPS = [row[:2] for row in ROWS] + [
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
    ("tool_after", "guest_driver compare /dev/nvme0n1; guest_driver compare /dev/nvme0n2; echo 0 >/proc/sys/vm/nr_hugepages"),
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


def check_report(check, texts, name, direction, least):
    found = decoded(texts[name]).get("jobs", [])
    good = len(found) == 1 and found[0]["error"] == 0 and found[0][direction]["total_ios"] >= least and found[0][direction]["iops"] > 0
    check(good, f"{name}: at least {least} {direction}s without an error", texts[name][-1500:])


def check_all(check, texts):
    driver.check_rows(check, texts, ROWS)
    driver.check_prepared(check, texts, 48)
    for name, parts in HOLDS.items():
        for part in parts:
            check(part in texts[name], f"{name}: {part}", texts[name][-1500:])
        check("status 0" not in texts[name], f"{name}: exit status", texts[name][-1500:])
    check_report(check, texts, "tool_uring_cmd", "read", 1024)
    check_report(check, texts, "tool_perf", "read", 100)
    check_report(check, texts, "tool_verify", "write", WRITTEN_BYTES >> 16)


def check_images(check, images):
    driver.check_images(check, images)
    with open(images["nv0n2"], "rb") as image:
        image.seek(WRITTEN)
        blocks = [image.read(65536) for _ in range(WRITTEN_BYTES >> 16)]
    check(len({*blocks, bytes(65536)}) == len(blocks) + 1, "tool_verify: every block in the image is filled and no two are the same")

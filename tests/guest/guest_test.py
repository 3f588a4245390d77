# label: guests
# timeout: 420
# lock: guest
# cost: 22
"""The driver on a controller model that nobody here wrote: QEMU's NVMe behind its Intel IOMMU, under Debian's kernel. Two boots, one of
each IOMMU width, the second also for the finished program (tool_steps.py); every result of the programs inside is a test of its own here.
What the driver wrote is read by the kernel's own driver in the guest and, after the guest has ended, in the images themselves."""
import os
import pathlib
import struct
import sys
import time

import debian_packages
import machine
import tool_steps

BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD", "build"))
NV0, NV1, SHARED = machine.NV0, machine.NV1, machine.SHARED
AREA, KERNEL_WROTE, KERNEL_BYTES = 8 << 20, 16 << 20, 1 << 20  # tests/guest/pattern.h

DRIVE = """bring_up identify_controller namespaces namespace_512 namespace_4096 mdts namespace_absent smart_log error_log
admin_passthrough admin_error_status kernel_wrote_512 kernel_wrote_4096 blocks_512 prp_lists_512 mdts_splits_512 were_split_512
blocks_4096 prp_lists_4096 mdts_splits_4096 were_split_4096 beyond_the_end flush fua_write write_zeroes deallocate waiting_for_slots
ring_overflow overflow_read_back nothing_unexpected policy_sse2 policy_nontemporal_lazy_lines policy_before_the_fixes reset
reset_ends_each_once works_after_reset eight_queues_and_no_more queues_in_use shutdown""".split()

PREPARE = [
    ("fill", "guest_driver fill /dev/nvme0n1; guest_driver fill /dev/nvme0n2", ["filled_1", "filled_2"]),
    ("list", "guest_driver list", []),
    ("refusals", f"guest_driver refusals {NV0}", ["wrong_address", "not_nvme", "not_bound", "vfio_state", "huge_pages",
                                                  "huge_pages_shortfall", "huge_pages_given_back"]),
    ("bind", f"guest_driver bind {NV0}", ["bind"]),
    ("iommu", f"guest_driver iommu {NV0}", ["interrupt_hole_left_out", "iommu_page", "mappings_left"]),
]
DRIVER = [
    ("drive", f"guest_driver drive {NV0}", DRIVE),
    ("unbind", f"guest_driver unbind {NV0}; {tool_steps.BACK}", ["unbind"]),
    ("kernel_reads", "guest_driver compare /dev/nvme0n1; guest_driver compare /dev/nvme0n2", ["kernel_reads_same_1", "kernel_reads_same_2"]),
]
TRANSPORT = [
    ("group", f"guest_driver bind {SHARED[0]}", []),
    ("transport", f"guest_driver transport {NV0}",
     ["identity", "cap", "version", "register_write", "doorbells", "there", "second_open_refused", "allocate", "iovas_are_low",
      "huge_pages_used", "iova_reused", "fallback_without_huge_pages", "map", "map_twice_refused", "iova_free_after_unmap",
      "crooked_memory_refused"]),
    ("lock_limit", f"guest_driver lock_limit {NV0}", ["lock_limit"]),
    ("held", f"mkfifo /tmp/f; guest_driver hold {NV0} </tmp/f >/tmp/held & exec 3>/tmp/f; for i in $(seq 200); do grep -q holding /tmp/held && break; "
             f"sleep 0.1; done; cat /tmp/held; guest_driver unbind {NV0}; exec 3>&-; wait", []),
]
REMOVAL = [
    ("removal", f"guest_driver bind {NV1}; guest_driver removal {NV1}",
     ["bind", "removal_bring_up", "removal_there_before", "removal_noticed", "removal_io_until_then", "removal_ends_each_once",
      "removal_refuses_more", "removal_is_an_error"]),
    ("after_removal", f"for i in $(seq 60); do [ -e /sys/bus/pci/devices/{NV1} ] || break; sleep 0.5; done; "
                      f"[ ! -e /sys/bus/pci/devices/{NV1} ]", []),
]

failures = []


def check(condition, what, shown=""):
    print(("ok   " if condition else "FAIL ") + what + ("" if condition or not shown else f": {shown}"))
    if not condition:
        failures.append(what)


def results(text):
    """{name: (good, detail)} of a step's result lines."""
    rows = (line.split(" ", 3) for line in text.split("\n") if line.startswith("result "))
    return {row[1]: (row[2] == "ok", row[3] if len(row) > 3 else "") for row in rows}


def check_steps(boot, guest, steps):
    for name, _, expected in steps:
        step = guest.steps.get(name)
        if step is None or step.status is None:
            check(False, f"{boot}: {name}: it ended", "\n".join(step.lines) if step else "it did not begin")
            continue
        found = results(step.text)
        for one in expected:
            good, detail = found.get(one, (False, "it was not reached"))
            check(good, f"{boot}: {one}", detail)
        for other in found.keys() - set(expected) - ({"unbind", "bind"} if not expected else set()):
            check(found[other][0], f"{boot}: {name}: {other} (not awaited)", found[other][1])
        if any(one not in found for one in expected):
            print(step.text)


def pattern(offset, size, nsid):
    words = range(offset // 8, (offset + size) // 8)
    return struct.pack(f"<{size // 8}Q", *((w * 0x9e3779b97f4a7c15 + nsid) & 0xffffffffffffffff for w in words))


def check_images(boot, guest):
    for nsid, image in ((1, guest.images[0]), (2, guest.images[1])):
        with open(image, "rb") as f:
            check(f.read(AREA) == pattern(0, AREA, nsid), f"{boot}: the image of namespace {nsid} holds what our driver wrote")
            f.seek(KERNEL_WROTE)
            check(f.read(KERNEL_BYTES) == pattern(KERNEL_WROTE, KERNEL_BYTES, nsid), f"{boot}: ... and what the kernel wrote")


def text(guest, name):
    return guest.steps[name].text if name in guest.steps else ""


def check_width(boot, guest, last):
    check(f"iova_last {last:x}\n" in text(guest, "iommu") + "\n", f"{boot}: the IOMMU's last address", text(guest, "iommu"))


def check_list(boot, guest):
    seen = text(guest, "list")
    check(f"controller {NV0} 1b36:0010 driver=nvme group=" in seen and "serial=EMU0001" in seen, f"{boot}: list: nv0", seen)
    check(f"namespace {NV0}/1 nvme0n1 ng0n1 67108864 512" in seen, f"{boot}: list: namespace of 512", seen)
    check(f"namespace {NV0}/2 nvme0n2 ng0n2 67108864 4096" in seen, f"{boot}: list: namespace of 4096", seen)
    check(seen.count("controller ") == 4, f"{boot}: list: four controllers and nothing else", seen)


def check_transport(boot, guest):
    group = text(guest, "group")
    check("FAILED" in group and "is not viable" in group and f"{SHARED[1]} (nvme)" in group, f"{boot}: a shared group names the other", group)
    held = text(guest, "held")
    check("holding" in held and "FAILED" in held and "a process has it open" in held, f"{boot}: unbind refuses what is in use", held)


def check_gone(boot, guest):
    step = guest.steps.get("after_removal")
    check(step is not None and step.status == 0, f"{boot}: the removed device is gone from /sys")


def run_boot(parts, aw_bits, steps, also, again=2):
    """QEMU 7.2 sometimes dies of a segmentation fault of its own when its controller is reset with requests in flight: then it is started
    again, and said so. Whatever the guest does wrong shows otherwise."""
    boot = f"{aw_bits} bits"
    with machine.new_folder() as folder:
        guest = machine.Machine(folder, aw_bits)
        programs = {"guest_driver": BUILD / "guest_driver", "fathom": os.environ["FATHOM"]}
        guest.run(parts, programs, [step[:2] for step in steps])
        if guest.crashed and again > 0:
            print(f"     {boot}: QEMU itself died (SIGSEGV) in or after the step {list(guest.steps)[-1:]}; once more")
            return run_boot(parts, aw_bits, steps, also, again - 1)
        check_steps(boot, guest, steps)
        check(guest.finished, f"{boot}: the guest powered itself off")
        for one in also:
            one(boot, guest)
        check_images(boot, guest)
        print(f"     {boot}: {guest.boot_s:.1f} s to /init, {guest.wall_s:.1f} s in all")
        if failures:
            print(guest.trouble())
        return None


def main():
    if os.environ.get("FATHOM_SANITIZE"):
        print("skipped: a sanitized program wants more memory than the guest has; the release build's test runs there")
        return 77
    try:
        parts = machine.require()
    except debian_packages.Missing as reason:
        print(f"skipped: {reason}")
        return 77
    begun = time.monotonic()
    print(f"     guest: {parts.release}")
    run_boot(parts, 39, PREPARE + TRANSPORT + DRIVER + REMOVAL,
             [lambda b, g: check_width(b, g, (1 << 39) - 1), check_list, check_transport, check_gone])
    run_boot(parts, 48, PREPARE + DRIVER + [(name, text, []) for name, text in tool_steps.STEPS],
             [lambda b, g: check_width(b, g, (1 << 48) - 1), check_list, lambda b, g: tool_steps.check_tool(check, b, g)])
    print(f"     {time.monotonic() - begun:.1f} s; {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

"""Bind, drive, unbind and remove. Every result of the programs inside is a check of its own here."""
import struct

from machine import CONTROLLERS, NV0, NV1, SHARED

AREA, KERNEL_WROTE, KERNEL_BYTES = 8 << 20, 16 << 20, 1 << 20  # tests/guest/pattern.h

DRIVE = """bring_up identify_controller namespaces namespace_512 namespace_4096 mdts namespace_absent smart_log error_log
admin_passthrough admin_error_status kernel_wrote_512 kernel_wrote_4096 blocks_512 prp_lists_512 mdts_splits_512 were_split_512
blocks_4096 prp_lists_4096 mdts_splits_4096 were_split_4096 beyond_the_end flush fua_write write_zeroes deallocate waiting_for_slots
ring_overflow overflow_read_back nothing_unexpected policy_sse2 policy_nontemporal_lazy_lines policy_before_the_fixes reset
reset_ends_each_once works_after_reset eight_queues_and_no_more queues_in_use shutdown""".split()

BACK = "for i in $(seq 50); do [ -b /dev/nvme0n1 ] && [ -b /dev/nvme0n2 ] && [ -c /dev/ng0n1 ] && break; sleep 0.2; done"
# (step, what runs, the results that it must print)
PREPARE = [
    ("fill", "guest_driver fill /dev/nvme0n1; guest_driver fill /dev/nvme0n2", ["filled_1", "filled_2"]),
    ("list", "guest_driver list", []),
    # It gives back the huge pages of the first node only.
    ("refusals", f"guest_driver refusals {NV0}; echo 0 >/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages",
     ["wrong_address", "not_nvme", "not_bound", "vfio_state", "huge_pages", "huge_pages_shortfall", "huge_pages_given_back"]),
    ("bind", f"guest_driver bind {NV0}", ["bind"]),
    ("iommu", f"guest_driver iommu {NV0}", ["interrupt_hole_left_out", "iommu_page", "mappings_left"]),
]
DRIVER = [
    ("drive", f"guest_driver drive {NV0}", DRIVE),
    ("unbind", f"guest_driver unbind {NV0}; {BACK}", ["unbind"]),
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
                      f"[ ! -e /sys/bus/pci/devices/{NV1} ] && echo gone; echo 0 >/proc/sys/vm/nr_hugepages", []),
]
ROWS = PREPARE + TRANSPORT + DRIVER + REMOVAL
STEPS = [row[:2] for row in ROWS]


def results(text):
    """{name: (good, detail)} of a step's result lines."""
    rows = (line.split(" ", 3) for line in text.split("\n") if line.startswith("result "))
    return {row[1]: (row[2] == "ok", row[3] if len(row) > 3 else "") for row in rows}


def check_rows(check, texts, rows):
    for name, _, expected in rows:
        found = results(texts[name])
        for one in expected:
            good, detail = found.get(one, (False, "it was not reached"))
            check(good, one, detail)
        for other in found.keys() - set(expected) - ({"unbind", "bind"} if not expected else set()):
            check(found[other][0], f"{name}: {other} (not expected)", found[other][1])
        if any(one not in found for one in expected):
            print(texts[name])


def pattern(offset, size, nsid):
    words = range(offset // 8, (offset + size) // 8)
    return struct.pack(f"<{size // 8}Q", *((w * 0x9e3779b97f4a7c15 + nsid) & 0xffffffffffffffff for w in words))


def check_images(check, images):
    for nsid, image in ((1, images["nv0n1"]), (2, images["nv0n2"])):
        with open(image, "rb") as f:
            check(f.read(AREA) == pattern(0, AREA, nsid), f"the image of namespace {nsid} holds what our driver wrote")
            f.seek(KERNEL_WROTE)
            check(f.read(KERNEL_BYTES) == pattern(KERNEL_WROTE, KERNEL_BYTES, nsid), "... and what the kernel wrote")


def check_prepared(check, texts, aw_bits):
    check(f"iova_last {(1 << aw_bits) - 1:x}\n" in texts["iommu"] + "\n", "the IOMMU's last address", texts["iommu"])
    seen = texts["list"]
    check(f"controller {NV0} 1b36:0010 driver=nvme group=" in seen and "serial=EMU0001" in seen, "list: nv0", seen)
    check(f"namespace {NV0}/1 nvme0n1 ng0n1 67108864 512" in seen, "list: namespace of 512", seen)
    check(f"namespace {NV0}/2 nvme0n2 ng0n2 67108864 4096" in seen, "list: namespace of 4096", seen)
    check(seen.count("controller ") == CONTROLLERS, f"list: {CONTROLLERS} controllers and nothing else", seen)


def check_all(check, texts):
    check_rows(check, texts, ROWS)
    check_prepared(check, texts, 39)
    group, held = texts["group"], texts["held"]
    check("FAILED" in group and "is not viable" in group and f"{SHARED[1]} (nvme)" in group, "a shared group names the other", group)
    check("holding" in held and "FAILED" in held and "a process has the device open" in held, "unbind refuses what is in use", held)
    check("gone" in texts["after_removal"], "the removed device is gone from /sys", texts["after_removal"])

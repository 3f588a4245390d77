"""What is counted is what was moved: exactly by one event, also across 2^32 and 2^64; within the printed interval by two events that have
to share the counter; and a load that beats with the slots is flagged."""
from pieces import pieces
from pmu.report import Run

DISKS = {"nvme": ("$NVME", "pcie_bdf_200"), "sata": ("$SATA", "pcie_bdf_300")}
BYTES = 64 << 20
SERIES = 20

EXACT = "pmu\n" + "".join(
    f"job {disk}_{rw} --audit=pmu --direct=1 --filename={path} --rw={rw} --size={BYTES}\n"
    for disk, (path, _) in DISKS.items() for rw in ("read", "write"))

# Near the edges: 2^32 - 100,000 and 2^64 - 100,000 units; and increments so small that what was counted itself passes 2^32.
EDGES = {"cross_2_32": 2**32 - 100_000, "cross_2_64": 2**64 - 100_000}
WRAPS = "".join(f"pmu start={start}\njob {name} --audit=pmu --direct=1 --filename=$NVME --rw=read --size={BYTES}\n" for name, start in EDGES.items())
WRAPS += f"""pmu units_per_sector={1 << 20}
job count_past_2_32 --audit=pmu --unit-bytes={512 / (1 << 20)} --direct=1 --filename=$NVME --rw=write --size={BYTES}
"""

SHARED = f"""pmu
for n in $(seq {SERIES}); do
  job shared_$n --audit=pmu --direct=1 --filename=$NVME --rw=randrw --size=128m --runtime=0.6 --time_based --randseed=$n --randrepeat=0
done
"""

STEPS = [("exact", EXACT), ("wraps", WRAPS), ("shared", SHARED)]


def check_exact(check, name, text, direction, subject="pcie_bdf_200"):
    run = Run(text)
    seen = run.witness("pcie_pmu", direction)
    moved = run.moved(direction)
    check(run.errors() == [0] and moved == BYTES, f"{name}: the job ran", run.text[-1500:])
    check(seen.get("subject") == subject, f"{name}: the counter of the disk's own port was asked", run.shown())
    off = abs(seen.get("seen_bytes", 0) - moved)
    check(off <= 1e-4 * moved, f"{name}: {subject} counted {direction}s within 0.01 %", f"{off} of {moved}")
    check(seen.get("verdict") == "agrees", f"{name}: the witness agrees", run.shown())
    return run


def check_shared(check, text):
    found = pieces(text)
    held = {"read": 0, "write": 0}
    widths = []
    for n in range(1, SERIES + 1):
        run = Run(found.get(f"shared_{n}", ""))
        for direction in held:
            seen = run.witness("pcie_pmu", direction)
            moved = run.moved(direction)
            low, high = seen.get("seen_low_bytes", 0), seen.get("seen_high_bytes", 0)
            held[direction] += bool(moved) and low <= moved <= high and high > low
            widths.append((high - low) / 2 / moved if moved else 9)
    half_width = sorted(widths)[len(widths) // 2]
    for direction, times in held.items():
        check(times >= 18, f"two events: the 99 % interval of {direction}s held the truth in {times} of {SERIES} series", text[-1500:])
    check(half_width < 0.5, f"two events: half the interval is {100 * half_width:.1f} % of the truth (median)")


def check_all(check, steps):
    exact = pieces(steps["exact"])
    for disk, (_, subject) in DISKS.items():
        for rw in ("read", "write"):
            run = check_exact(check, f"{disk} {rw}", exact.get(f"{disk}_{rw}", ""), rw, subject)
            check(run.verdict == "agrees", f"{disk} {rw}: the whole audit agrees", run.shown())
    wraps = pieces(steps["wraps"])
    for name in EDGES:
        check_exact(check, name, wraps.get(name, ""), "read")
    run = check_exact(check, "count_past_2_32", wraps.get("count_past_2_32", ""), "write")
    raw = next((c.get("raw", 0) for c in run.audit.get("counts", []) if c["source"] == "pcie_pmu"), 0)
    check(raw == (BYTES >> 9 << 20) > 1 << 32, "count_past_2_32: increments counted", str(raw))
    check_shared(check, steps["shared"])

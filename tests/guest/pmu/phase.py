"""A load that reads for 10 ms and writes for 10 ms, and a counter that two events share. In fixed slots of 10 ms a count can be wrong by all
of itself, and the kernel's own turns do no better; a second slot length shows it. In slots of drawn length the truth lies in the interval."""
import re

from machine import DISK, SATA
from pieces import decoded, pieces

EVENTS = "-e pcie_bdf_200/$RX/,pcie_bdf_200/$TX/"
LOAD = "guest_pmu phase $NVME 20 2"
FIXED_TRIES, DRAWN_RUNS = 12, 4

# Whether the load's phase meets the slots' is chance: half of all tries are wrong by more than a half.
FIXED = f"""pmu
for n in $(seq {FIXED_TRIES}); do
  say fixed_$n
  fathom pmu stat --output-format=json -o - --slots=10 --slots2=17 --slot-jitter=0 {EVENTS} -- {LOAD} | tee /tmp/fixed
  grep -q '"aliased" : true' /tmp/fixed && break
done
"""
DRAWN = f"""for n in $(seq {DRAWN_RUNS}); do
  say drawn_$n
  fathom pmu stat --output-format=json -o - --slots=8 {EVENTS} -- {LOAD}
done
"""
TURNS = f"""say turns
fathom pmu stat --output-format=json -o - {EVENTS} -- {LOAD}
say group
fathom pmu stat -o - -e '{{pcie_bdf_200/'$RX'/,pcie_bdf_200/'$TX'/}}' -- true
say list
fathom pmu list
rmmod fathom_test_pmu
say absent
fathom pmu stat {EVENTS} -- true
echo status $?
"""
STEPS = [("fixed", FIXED), ("drawn", DRAWN), ("turns", TURNS)]


def moved(text):
    """Bytes read and written by the load itself."""
    said = re.search(r"phase_load read (\d+) write (\d+)", text)
    return [int(n) for n in said.groups()] if said else [0, 0]


def check_all(check, steps):
    fixed = pieces(steps["fixed"])
    flagged = [name for name, text in fixed.items() if '"aliased" : true' in text]
    # Two rules flag it: two slot lengths that differ by much, or one place in each slot at which the count changes. Either may be first.
    told = re.search("the load is synchronous with the slots", fixed[flagged[0]]) if flagged else None
    check(told,
          f"fixed slots at the load's period are flagged as aliased (try {flagged[:1]} of {FIXED_TRIES})", steps["fixed"][-1500:])
    held, near = [], []  # an interval of 99 % misses now and then, on a host that takes the guest's CPUs away a little more often: never by much
    for name, text in pieces(steps["drawn"]).items():
        for t, event in zip(moved(text), decoded(text).get("events", [])):
            if t and "bytes_low" in event:
                low, high = event["bytes_low"] / t, event["bytes_high"] / t
                held.append(low <= 1 <= high)
                near.append(low <= 1.1 and high >= 0.9)
                print(f"     {name}: {low:.2f} to {high:.2f} of the truth")
    check(len(held) == 2 * DRAWN_RUNS and sum(held) >= len(held) - 2 and all(near), f"drawn slots: the truth lies in {sum(held)} of {len(held)} intervals",
          steps["drawn"][-1500:])
    turns = pieces(steps["turns"])
    shares = [event["running_percent"] for event in decoded(turns.get("turns", "")).get("events", [])]
    check(len(shares) == 2 and all(30 < share < 70 for share in shares) and 90 < sum(shares) < 102,
          f"the kernel's turns are read: {shares} % of the time each", turns.get("turns", ""))
    check(re.search(r"refuses \S+ beside the rest of its group", turns.get("group", "")),
          "a group that the PMU refuses is counted apart, and said so", turns.get("group", ""))
    listed = turns.get("list", "")
    for port, disk in (("000200  0000:00:02.0", DISK), ("000300  0000:00:03.0", SATA)):
        check(re.search(rf"{port}.*pcie_bdf_{int(port[:6])}\n.* {disk}\n", listed), f"pmu list: {disk} is behind {port}", listed[-2500:])
    absent = turns.get("absent", "")
    check("error:" in absent and "pcie_bdf_200" in absent and "status 0" not in absent, "an absent PMU is an error that names it", absent)

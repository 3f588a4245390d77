"""A set twice as large as a limit of cgroup v2, swapped to an NVMe disk: the classes against the kernel's own counts, the device's part of a
fault from the block layer's requests, and everything restored, also after an error and a SIGKILL."""
from machine import DISK
from paging.report import Run, check_ran, check_restored

PRESSURE = "--swap=dev:$NVME --fill=random --thp=never --page-cluster=0 --numa-balancing=0"
STEPS = [
    ("limit", f"""paging limit --set=96M --limit=48M {PRESSURE} --cold --duration=6s --cpus=0
"""),
    ("together", f"""paging together --set=32M --limit=48M {PRESSURE} --cold --duration=3s --threads=2 --processes=2
"""),
    ("refused", f"""paging too_large --set=2G --limit=48M {PRESSURE} --duration=1s
paging no_room --set=32M --limit=64K --swap=dev:$NVME --duration=1s
paging no_swap --set=96M --limit=48M --swap=none --duration=1s
"""),
    ("killed", f"""state killed.before
fathom paging --stamps=clock_gettime --set=96M --limit=48M {PRESSURE} --duration=60s >/dev/null 2>&1 &
for i in $(seq 100); do grep -q nvme /proc/swaps && break; sleep 0.1; done
sleep 1
kill -9 $!
wait
sleep 0.5
state killed.left
fathom paging cleanup
say killed.status
echo $?
state killed.after
"""),
]
SLACK = 2 * 64  # memory.stat may lag by a batch of 64 events a CPU


def check_limit(check, run):
    check_ran(check, run, "limit")
    majors, kernel = run.accesses("major"), run.of_workers("kernel_major")
    check(majors >= 1000, "limit: a thousand major faults and more", f"{majors}\n{run.shown()}")
    counted = majors + run.of_workers("extra_faults")
    check(abs(majors - kernel) <= 0.001 * kernel, "limit: majors by class within 0.1 % of the threads' own counts", f"{majors} and {kernel}")
    vmstat, memcg = run.paging.get("vmstat", {}).get("pgmajfault", 0), run.paging.get("memcg", {}).get("pgmajfault", 0)
    check(abs(majors - vmstat) <= 0.001 * majors + 5, "limit: ... and of /proc/vmstat's", f"{majors} and {vmstat}")
    check(abs(majors - memcg) <= 0.001 * majors + SLACK, "limit: ... and of memory.stat's", f"{majors} and {memcg}")
    check(run.of_workers("own_faults") == 0, "limit: no fault of the tool's own in the window", f"{run.of_workers('own_faults')}")
    pressure = run.paging.get("pressure", {})
    check(pressure.get("controller") == "cgroup v2" and pressure.get("limit_bytes") == 48 << 20, "limit: by cgroup v2", str(pressure))
    swapped = run.series("pswpin")
    check(swapped >= 0.9 * majors, "limit: the series holds the pages that came in", f"{swapped} for {majors} majors")
    stalled = [p["pressure_percent"].get("memory.some", 0) for p in run.paging.get("series", [])]
    check(stalled and max(stalled) > 1, "limit: the series holds the cgroup's memory pressure", str(stalled))
    check_device(check, run, majors)
    return f"{majors} majors (counted {counted}), {kernel} by the threads, vmstat {vmstat}, memory.stat {memcg}"


def check_device(check, run, majors):
    device = (run.paging.get("devices", []) or [{}])[0]
    reads = device.get("read", {}).get("n", 0)
    check(device.get("device") == DISK and device.get("by") == "block requests", "limit: the device's own time by its requests", str(device)[:800])
    check(0.9 * majors <= reads <= 1.1 * majors, "limit: about a read a major fault", f"{reads} for {majors}")
    check(run.audit.get("verdict") == "agrees", "limit: the audit agrees", run.shown())


def check_refusals(check, texts):
    for name, words in (("too_large", ("limit 48 MiB + swap 512 MiB",)), ("no_room", ("limit of 64 KiB", "--limit")), ("no_swap", ("no swap",))):
        run = Run(texts, name)
        good = run.status not in ("0", "") and all(word in run.said for word in words)
        check(good, f"{name}: refused, and said why", f"{run.status}: {run.said}")
        check_restored(check, run, name)


def check_killed(check, texts):
    run = Run(texts, "killed")
    left = Run(texts, "killed.left").text
    check(DISK in left, "killed: the swap was on when it was killed", left)
    check(run.status == "0", "killed: cleanup ends well", run.text)
    check_restored(check, run, "killed")


def check_all(check, texts):
    numbers = check_limit(check, Run(texts, "limit"))
    together = Run(texts, "together")
    check_ran(check, together, "together")
    check(len(together.paging.get("workers", [])) == 4, "together: two threads in each of two processes", together.shown())
    check_refusals(check, texts)
    check_killed(check, texts)
    run = Run(texts, "limit")
    print(f"     limit: {numbers}; p50 of a major {run.p50_us('major'):.0f} us, of a hit {run.p50_us('hit'):.2f} us")

"""Threads on one node, memory on the other: bound there, or placed there at first and then free to move."""
from paging.report import Run, check_ran, check_restored

COMMON = "--set=32M --fill=random --thp=never --swap=none --cold --cpunode=0"
STEPS = [
    ("bound", "".join(f"paging bound{node} {COMMON} --membind={node} --duration=1s\n" for node in (0, 1))),
    ("initial", f"paging initial {COMMON} --initial-node=1 --numa-balancing=1 --duration=6s\n"
                f"paging stays {COMMON} --initial-node=1 --numa-balancing=0 --duration=2s\n"),
    ("absent", f"paging absent {COMMON} --membind=5 --duration=1s\n"),
    ("kinds", "".join(f"paging {kind} --memory={kind} --set=16M --fill=random --membind=1 --swap=none --cold --duration=300ms\n"
                      for kind in ("anonymous", "memfd")) + """say kinds.maps
fathom paging --stamps=clock_gettime --memory=memfd --set=16M --fill=random --membind=1 --swap=none --duration=3s >/dev/null 2>&1 &
sleep 2
grep -h fathom-paging /proc/[0-9]*/numa_maps
wait
"""),
]


def check_all(check, texts):
    for node in (0, 1):
        run = Run(texts, f"bound{node}")
        check_ran(check, run, f"bound to node {node}")
        said = run.findings.get("paging.placement", "")
        check(f"node {node}: 4096" in said, f"bound: all pages looked at lie on node {node}", said)
        check([w["cpus"] for w in run.paging.get("workers", [])] == [[0, 1]], "bound: the thread has node 0's CPUs", run.shown())
    for name in ("initial", "stays"):
        run = Run(texts, name)
        check_ran(check, run, name)
        check("node 1: 4096" in run.findings.get("paging.placement", ""), f"{name}: all pages begin on node 1", run.shown())
    moved, stayed = (Run(texts, name).series("numa_pages_migrated") for name in ("initial", "stays"))
    check(moved > 0, "initial: NUMA balancing brings pages to the threads, and the series shows it", str(moved))
    check(stayed == 0, "stays: without it none", str(stayed))
    print(f"     initial: {moved} pages of 8192 came to node 0 in 6 s; "
          f"p50 of a hit on node 0 {Run(texts, 'bound0').p50_us('hit'):.2f} us, on node 1 {Run(texts, 'bound1').p50_us('hit'):.2f} us")
    absent = Run(texts, "absent")
    check(absent.status not in ("0", "") and "node 5" in absent.said, "a node that is not there is refused", absent.said)
    check_restored(check, absent, "absent")
    for kind in ("anonymous", "memfd"):
        run = Run(texts, kind)
        check_ran(check, run, kind)
        check("node 1: 4096" in run.findings.get("paging.placement", ""), f"{kind}: bound to node 1", run.shown())
    maps = Run(texts, "kinds.maps").text
    check("bind:1" in maps and " N1=" in maps and " N0=" not in maps, "the kernel's numa_maps says the same", maps)

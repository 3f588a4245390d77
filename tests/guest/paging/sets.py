"""A CPU on each of two nodes: pmbench's -y, a set a node, and `--processes`, threads and memory bound to different nodes. The kernel is asked:
numa_maps for where the pages lie, each thread's status for the CPUs it may use, its stat for the one it ran on last."""
import re

from paging.report import Run, check_restored

MIB = 24
PAGES = MIB * 256
LOOK = f"""
look() {{ # NAME PROCESSES: when so many processes have all their pages, what the kernel says of them
  for i in $(seq 300); do
    [ $(grep -l "bind:.* anon={PAGES} " /proc/[0-9]*/numa_maps 2>/dev/null | wc -l) -ge $2 ] && break
    sleep 0.1
  done
  say $1.look
  for maps in $(grep -l "bind:.* anon=" /proc/[0-9]*/numa_maps); do
    process=${{maps%/numa_maps}}
    grep "bind:.* anon=" $maps | sed "s,^,map ${{process#/proc/}} ,"
    for task in $process/task/*; do
      echo "thread ${{process#/proc/}} $(grep Cpus_allowed_list $task/status | cut -f2) $(sed 's/.*) //' $task/stat | cut -d' ' -f37)"
    done
  done 2>/dev/null
}}
"""
OURS = f"fathom paging --stamps=clock_gettime --map={MIB}M --set={MIB}M --fill=random --thp=never --swap=none --cold --duration=6s --eta=never"
STEPS = [
    ("sets", LOOK + f"""ln -sf /bin/fathom /tmp/pmbench
state sets.before
/tmp/pmbench -m {MIB} -s {MIB} -c -r 0 -q -y 0:2 -y 1:1 -f /tmp/sets.xml 12 >/tmp/said 2>&1 &
look sets 2
wait $!
result=$?
say sets.status
echo $result
say sets.said
cat /tmp/said
say sets
cat /tmp/sets.xml
state sets.after
"""),
    ("apart", LOOK + f"""state apart.before
{OURS} --processes=2 --threads=2 --cpus=0:1 --membind=1 --output-format=json >/tmp/run.json 2>/tmp/said &
look apart 2
wait
say apart.said
cat /tmp/said
say apart
cat /tmp/run.json
state apart.after
"""),
    ("crossed", LOOK + f"""state crossed.before
{OURS} --cpunode=1 --membind=0 --output-format=json >/tmp/run.json 2>/tmp/said &
look crossed 1
wait
say crossed.said
cat /tmp/said
say crossed
cat /tmp/run.json
state crossed.after
"""),
]


class Look:
    """What `look` printed: of each process its nodes ({node: pages}), policy and threads (CPUs it may use, CPU it ran on)."""

    def __init__(self, text):
        self.text, self.maps, self.threads = text, {}, {}
        for row in text.splitlines():
            words = row.split()
            if row.startswith("map ") and len(words) > 3:
                nodes = {int(n): int(pages) for n, pages in re.findall(r" N(\d+)=(\d+)", row)}
                if sum(nodes.values()) >= PAGES:
                    self.maps[words[1]] = (words[3], nodes)
            elif row.startswith("thread ") and len(words) == 4:
                self.threads.setdefault(words[1], []).append((words[2], int(words[3])))


def check_sets(check, texts):
    look = Look(Run(texts, "sets.look").text)
    bound = {policy: (process, nodes) for process, (policy, nodes) in look.maps.items()}
    check(sorted(bound) == ["bind:0", "bind:1"], "-y: two maps, each bound to a node of its own", look.text)
    for node, threads in ((0, 2), (1, 1)):
        process, nodes = bound.get(f"bind:{node}", ("", {}))
        check(list(nodes) == [node], f"-y {node}:{threads}: all pages of its map lie on node {node}", look.text)
        there = look.threads.get(process, [])
        check(there == [(str(node), node)] * (threads + 1), f"-y {node}:{threads}: its {threads} threads, and its first, on CPU {node} alone", look.text)
    run = Run(texts, "sets")
    check(run.status == "0" and "</pmbenchmark>" in run.text, "-y: it ended well, and the XML is whole", run.said)


def check_apart(check, texts):
    look = Look(Run(texts, "apart.look").text)
    check([policy for policy, _ in look.maps.values()] == ["bind:1"] * 2 and all(list(nodes) == [1] for _, nodes in look.maps.values()),
          "processes: both maps lie on node 1", look.text)
    for process in look.maps:
        there = sorted(pair for pair in look.threads.get(process, []) if pair[0] in "01")
        check(there == [("0", 0), ("1", 1)], "processes: in each a thread on each node's CPU", look.text)
    run = Run(texts, "apart")
    cpus = sorted((w["process"], tuple(w["cpus"])) for w in run.paging.get("workers", []))
    check(cpus == [(0, (0,)), (0, (1,)), (1, (0,)), (1, (1,))], "processes: the report says the same of the CPUs", f"{cpus}\n{run.shown()}")
    said = run.findings.get("paging.placement", "")
    check("node 1: " in said and "node 0: " not in said, "processes: ... and of the memory", run.shown())


def check_crossed(check, texts):
    look = Look(Run(texts, "crossed.look").text)
    check([(policy, list(nodes)) for policy, nodes in look.maps.values()] == [("bind:0", [0])], "crossed: memory on node 0", look.text)
    there = {pair for process in look.maps for pair in look.threads.get(process, [])}
    check(there == {("1", 1)}, "crossed: every thread on node 1's CPU", look.text)


def check_all(check, texts):
    check_sets(check, texts)
    check_apart(check, texts)
    check_crossed(check, texts)
    for name in ("sets", "apart", "crossed"):
        check_restored(check, Run(texts, name), name)

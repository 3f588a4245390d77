"""Another process, in a tight group of cgroup v2 of its own, has pages in the run's swap when the run ends: it is not killed, the swap stays on and
the report names it; when it has ended, `fathom paging cleanup` takes the swap off. Whoever has room gets the pages back at once. The holder is
dd: it fills a buffer and then writes it to a pipe that nobody reads. And two runs at once: the first to end leaves its swap to the other's end."""
from machine import DISK
from paging.report import Run, check_restored

RUN = "fathom paging --output-format=json --eta=never --stamps=clock_gettime --set=16M --swap=dev:$NVME --cold --duration=100s --audit=off"
HELPERS = f"""
group=/sys/fs/cgroup/foreign
begin() {{ # NAME LIMIT: a run with its swap on, and a holder with pages in it, in a group with that limit
  state $1.before
  echo +memory >/sys/fs/cgroup/cgroup.subtree_control
  mkdir $group
  echo 12M >$group/memory.max
  {RUN} >/tmp/run.json 2>/tmp/said &
  run=$!
  for i in $(seq 300); do grep -q nvme /proc/swaps && break; sleep 0.1; done
  (sh -c "echo \\$\\$ >$group/cgroup.procs; exec dd if=/dev/zero bs=40M count=1" | sleep 1000) 2>/dev/null &
  for i in $(seq 300); do
    holder=$(head -n 1 $group/cgroup.procs)
    [ -n "$holder" ] && grep -q pipe_ /proc/$holder/wchan && break
    sleep 0.1
  done
  echo $2 >$group/memory.max
  say $1.holder
  echo $holder
  grep VmSwap /proc/$holder/status
  cat $group/memory.swap.current $group/memory.current
}}
finish() {{ # NAME: ends the run as Ctrl-C does
  kill -INT $run
  wait $run
  result=$?
  say $1
  cat /tmp/run.json
  say $1.said
  cat /tmp/said
  say $1.status
  echo $result
  say $1.lives
  cat /proc/$holder/comm
  say $1.swaps
  cat /proc/swaps
}}
holder_ends() {{
  kill -9 $holder 2>/dev/null
  for i in $(seq 50); do [ -e /proc/$holder ] || break; sleep 0.1; done
}}
end() {{ # NAME
  holder_ends
  killall sleep
  rmdir $group
  echo -memory >/sys/fs/cgroup/cgroup.subtree_control
  state $1.after
}}
cleaned() {{ # NAME
  fathom paging cleanup >/tmp/said 2>&1
  result=$?
  say $1
  cat /tmp/said
  say $1.status
  echo $result
}}
"""
STEPS = [
    ("tight", HELPERS + """begin tight 12M
finish tight
cleaned tight.early
say tight.still_lives
cat /proc/$holder/comm
holder_ends
cleaned tight.late
end tight
"""),
    ("roomy", HELPERS + """begin roomy max
finish roomy
end roomy
"""),
    ("forced", HELPERS + """begin forced 12M
finish forced
fathom paging cleanup --force >/dev/null 2>&1
cleaned forced.late
end forced
"""),
    ("two", f"""state two.before
{RUN} >/tmp/first.json 2>/tmp/first.said &
first=$!
for i in $(seq 300); do grep -q nvme /proc/swaps && break; sleep 0.1; done
{RUN.replace("--set=16M", "--set=64M --limit=24M --fill=random").replace("dev:$NVME", "zram:96M")} >/tmp/second.json 2>/tmp/second.said &
second=$!
for i in $(seq 300); do [ $(awk '/nvme/ {{ print $4 }}' /proc/swaps) -gt 8192 ] && break; sleep 0.1; done
kill -INT $first
wait $first
result=$?
say two.first.status
echo $result
say two.first
cat /tmp/first.json
say two.first.said
cat /tmp/first.said
say two.swaps
cat /proc/swaps
kill -INT $second
wait $second
result=$?
say two.second.status
echo $result
say two.second
cat /tmp/second.json
say two.second.said
cat /tmp/second.said
state two.after
"""),
]


def piece(texts, name):
    return Run(texts, name).text


def check_held(check, texts, name):
    run = Run(texts, name)
    holder = piece(texts, f"{name}.holder").split()
    mib = int(holder[2]) // 1024 if len(holder) > 2 else 0
    check(mib >= 20, f"{name}: the holder has pages in swap", str(holder))
    check(piece(texts, f"{name}.lives").strip() == "dd", f"{name}: the restore kills nobody", piece(texts, f"{name}.lives"))
    check(DISK in piece(texts, f"{name}.swaps"), f"{name}: the swap is still on", piece(texts, f"{name}.swaps"))
    said = run.findings.get("paging.not_restored", "")
    for words in (f"swapoff /dev/{DISK}: not done", "memory cgroup /foreign (limit 12 MiB)", f"dd (pid {holder[0] if holder else '?'}) "):
        check(words in said, f"{name}: not_restored names \"{words}\"", run.shown())
    print(f"     {name}: {said}")


def check_two(check, texts):
    first, second = Run(texts, "two.first"), Run(texts, "two.second")
    left = first.findings.get("paging.left_to_other_run", "")
    check(f"swapoff /dev/{DISK}: postponed until another run" in left, "two: the first to end leaves its swap to the other", first.shown())
    check(DISK in piece(texts, "two.swaps"), "two: ... and it is on", piece(texts, "two.swaps"))
    check(f"swapoff /dev/{DISK}" in second.findings.get("paging.leftovers", ""), "two: the other's end takes it off", second.shown())
    for name, run in (("first", first), ("second", second)):
        check(run.status == "130" and "paging.not_restored" not in run.findings, f"two: the {name} is interrupted, no error", f"{run.status}\n{run.shown()}")
    check_restored(check, Run(texts, "two"), "two")
    print(f"     two: {left}")


def check_all(check, texts):
    check_held(check, texts, "tight")
    early, late = (piece(texts, f"tight.{when}.status").strip() for when in ("early", "late"))
    check(early == "4" and "/foreign" in piece(texts, "tight.early"), "tight: a clean-up while the holder lives waits too", piece(texts, "tight.early"))
    check(piece(texts, "tight.still_lives").strip() == "dd", "tight: ... and kills nobody")
    check(late == "0" and f"swapoff /dev/{DISK}" in piece(texts, "tight.late"), "tight: the clean-up after its end", piece(texts, "tight.late"))
    roomy = Run(texts, "roomy")
    check("paging.not_restored" not in roomy.findings and DISK not in piece(texts, "roomy.swaps"), "roomy: the swap is off", roomy.shown())
    check("dd (pid" in roomy.findings.get("paging.others_brought_back", ""), "roomy: others_brought_back names the holder", roomy.shown())
    check(piece(texts, "roomy.lives").strip() == "dd", "roomy: the holder lives")
    check_held(check, texts, "forced")
    check(piece(texts, "forced.late.status").strip() == "0", "forced: --force takes it off at once", piece(texts, "forced.late"))
    check_two(check, texts)
    for name in ("tight", "roomy", "forced"):
        check_restored(check, Run(texts, name), name)

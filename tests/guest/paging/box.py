"""Started in a group of cgroup v2 with a limit: alone in it the run steps into a leaf and makes its own group beside it; below a group that
has the limit and no processes it is made there; beside others it is not made at all, and said. However it ends, killed too, all is as before."""
from paging.report import Run, check_restored

PRESSURE = "--swap=dev:$NVME --fill=random --thp=never --cold --duration=2s --set=40M --limit=32M --cpus=0"
MIB = 1 << 20
HELPERS = """
TOP=/sys/fs/cgroup
boxes() { echo +memory >$TOP/cgroup.subtree_control; mkdir -p "$@"; }
no_boxes() { for one in "$@"; do rmdir $one; done; echo -memory >$TOP/cgroup.subtree_control; }
boxed() { # GROUP NAME OPTION...: as `paging`, in a group
  group=$1; name=$2
  shift 2
  state $name.before
  say $name
  sh -c 'echo $$ >$0/cgroup.procs; exec fathom paging --output-format=json --eta=never --stamps=clock_gettime "$@"' $group "$@" 2>/tmp/said
  result=$?
  say $name.said
  cat /tmp/said
  say $name.status
  echo $result
  state $name.after
  say $name.peak
  cat $group/memory.peak
}
"""
STEPS = [
    ("box_alone", HELPERS + f"""boxes $TOP/box
echo 80M >$TOP/box/memory.max
boxed $TOP/box alone {PRESSURE}
boxed $TOP/box cannot --set=256M --swap=none --cold --duration=1s
no_boxes $TOP/box
"""),
    ("box_slice", HELPERS + f"""boxes $TOP/slice
echo 80M >$TOP/slice/memory.max
echo +memory >$TOP/slice/cgroup.subtree_control
mkdir $TOP/slice/box
sh -c 'echo $$ >/sys/fs/cgroup/slice/box/cgroup.procs; exec sleep 1000' &
other=$!
sleep 0.3
boxed $TOP/slice/box nested {PRESSURE}
kill $other
wait
rmdir $TOP/slice/box
no_boxes $TOP/slice
"""),
    ("box_others", HELPERS + f"""boxes $TOP/box
echo 80M >$TOP/box/memory.max
sh -c 'echo $$ >/sys/fs/cgroup/box/cgroup.procs; exec sleep 1000' &
other=$!
sleep 0.3
boxed $TOP/box beside {PRESSURE}
kill $other
wait
no_boxes $TOP/box
"""),
    ("box_killed", HELPERS + f"""boxes $TOP/box
echo 80M >$TOP/box/memory.max
state leaf.before
(boxed $TOP/box leaf {PRESSURE} --duration=60s) >/dev/null 2>&1 &
for i in $(seq 200); do ls -d $TOP/box/fathom-paging-* >/dev/null 2>&1 && break; sleep 0.1; done
sleep 1
say leaf.left
ls -d $TOP/box/fathom-*
kill -9 $(cat $TOP/box/fathom-leaf-*/cgroup.procs)
wait
fathom paging cleanup >/dev/null
say leaf.status
echo $?
state leaf.after
no_boxes $TOP/box
"""),
]


def check_within(check, run, name, group):
    check(run.status == "0" and bool(run.paging), f"{name}: it ran", run.shown())
    check_restored(check, run, name)
    pressure = run.paging.get("pressure", {})
    limits = (pressure.get("limit_bytes"), pressure.get("ambient_limit_bytes"), pressure.get("ambient_group"))
    check(limits == (32 * MIB, 80 * MIB, group), f"{name}: both limits are in the report", str(limits))
    check(run.of_workers("kernel_major") > 0, f"{name}: its own limit holds", run.shown())


def check_all(check, texts):
    alone, nested, beside = (Run(texts, name) for name in ("alone", "nested", "beside"))
    check_within(check, alone, "alone", "/box")
    peak = Run(texts, "alone.peak").text.strip()
    check(not peak.isdigit() or int(peak) > 30 * MIB, "alone: its pages are the box's", peak)
    cannot = Run(texts, "cannot")
    check(cannot.status == "2" and "80 MiB of the memory group /box" in cannot.said, "cannot: what the box cannot hold is refused", cannot.said)
    check_restored(check, cannot, "cannot")
    check_within(check, nested, "nested", "/slice")
    check("other processes are in it" in beside.findings.get("paging.not_possible", ""), "beside: said that there is no group for it", beside.shown())
    check_restored(check, beside, "beside")
    left = Run(texts, "leaf.left").text
    check("fathom-leaf-" in left and "fathom-paging-" in left, "killed: it was in a leaf beside its group", left)
    leaf = Run(texts, "leaf")
    check(leaf.status == "0", "killed: cleanup ends well", leaf.status)
    check_restored(check, leaf, "killed")

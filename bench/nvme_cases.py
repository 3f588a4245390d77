"""What scripts/bench nvme measures: groups of variants that take turns, the first of each being what the others are held against."""
import dataclasses

# Measured elsewhere, on another machine: SPDK's perf on an ideal device in another process, and a ring without a driver.
ELSEWHERE = {128: ("12.4 M", "70 M"), 32: ("9.9 M", "31 M"), 1: ("1.1 M", "2.8 M")}
IOPS_GOALS = {128: 40e6, 32: 22e6, 1: 2.0e6}
MANY_GOAL = 0.85
SWEEP = (1, 2, 4, 8, 16, 32, 64, 128)
MODEL_NS = (0, 100, 150, 200)


@dataclasses.dataclass
class Variant:
    name: str
    words: list = dataclasses.field(default_factory=list)  # of perf
    where: str = "vfio-user"  # the device in another process; "soft": in the driver's; "bare": bare_soft, another driver
    devices: int = 1
    needs: str = ""  # a flag of the CPU, as in /proc/cpuinfo


@dataclasses.dataclass
class Group:
    key: str
    name: str
    variants: list
    depth: int = 128
    bs: int = 4096
    soft: str = "ideal"  # the controllers' options
    iops_goal: float = None  # of the first variant
    ratio_goal: float = None  # of the second over the first


def option(text, devices=1, needs=""):
    return Variant(text, [f"--nvme_{word}" for word in text.split()], devices=devices, needs=needs)


# name of the trick, the variants that go without it or do it otherwise, the controllers' options
TRICKS = [
    ("the command's copy", [("sq_copy=words", ""), ("sq_copy=sse2", ""), ("sq_copy=avx512", "avx512f"), ("sq_copy=movdir64b", "movdir64b")], "ideal"),
    ("doorbells", [("sq_doorbell=command", ""), ("cq_doorbell=entry", ""), ("cq_doorbell=lazy", "")], "ideal"),
    ("reading completions", [("cq_read=entry", ""), ("lookahead=none", ""), ("lookahead=next", ""), ("lookahead=pipeline", "")], "ideal"),
    ("layout", [("context=request", ""), ("cqe_bytes=64", ""), ("trackers=page", ""), ("divide=1", "")], "ideal,cqes=6"),
]
CACHE_TRICKS = ("cq_read=entry", "lookahead=none", "lookahead=pipeline", "context=request", "trackers=page")


def one_device(depth):
    return Group(f"one-{depth}", f"one device, depth {depth}", [Variant("fathom"), Variant("device in the same process", where="soft"),
                 Variant("bare loop, same process", where="bare")], depth, iops_goal=IOPS_GOALS[depth])


def ablations(devices):
    where = f"{devices} device{'s' if devices > 1 else ''}"
    return [Group(f"tricks-{devices}", f"{trick}, {where}", [Variant("default", devices=devices),
                  *(option(text, devices, needs) for text, needs in changed)], soft=soft) for trick, changed, soft in TRICKS]


def copy_by_depth(depth):
    others = [option("sq_copy=sse2"), option("sq_copy=avx512", needs="avx512f")] if depth in (1, 32) else []
    return Group("copy", f"the command's copy, depth {depth}", [option("sq_copy=words"), option("sq_copy=nontemporal"), *others], depth)


def modelled(cost_ns):
    soft = f"ideal,doorbell={cost_ns}ns" if cost_ns else "ideal"
    return Group("model", f"a doorbell of {cost_ns} ns" if cost_ns else "no modelled cost", [Variant("a doorbell a poll", where="soft"),
                 Variant("a doorbell a command", ["--nvme_sq_doorbell=command"], where="soft")], soft=soft)


GROUPS = [
    *(one_device(depth) for depth in IOPS_GOALS),
    Group("many", "21 devices, 4 KiB, depth 128", [Variant("one"), Variant("21 devices", devices=21)], ratio_goal=MANY_GOAL),
    Group("many", "20 devices, 512 B, depth 32", [Variant("one"), Variant("20 devices", devices=20)], 32, 512, "ideal,bs=512", ratio_goal=MANY_GOAL),
    *ablations(1),
    *ablations(21),
    Group("tricks-20", "cache tricks, 20 devices, 512 B, depth 32", [Variant("default", devices=20), *(option(text, 20) for text in CACHE_TRICKS)],
          32, 512, "ideal,bs=512"),
    *(copy_by_depth(depth) for depth in SWEEP),
    *(modelled(cost_ns) for cost_ns in MODEL_NS),
]

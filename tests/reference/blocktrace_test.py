# label: fio
# timeout: 400
"""Where O_DIRECT jobs land, as the kernel's block layer saw it: the only witness for io_uring, whose I/Os are no system calls.

Both programs run on a loop device under block:block_bio_queue; fio's own write_iolog says what is right.
"""
import collections
import os

import compare
import places
import trace

# name, job, compared in order
JOBS = [
    ("io_uring read", "ioengine=io_uring\nrw=read\nsize=1m", True),
    ("io_uring write", "ioengine=io_uring\nrw=write\nsize=1m", True),
    ("io_uring read:4k", "ioengine=io_uring\nrw=read:4k\nsize=1m", True),
    ("io_uring depth 8 read", "ioengine=io_uring\niodepth=8\nrw=read\nsize=1m", False),
    ("io_uring randread", "ioengine=io_uring\niodepth=16\nrw=randread\nsize=2m", False),
    ("io_uring randwrite", "ioengine=io_uring\niodepth=16\nrw=randwrite\noffset=1m\nsize=2m", False),
    ("io_uring randread twice over", "ioengine=io_uring\niodepth=4\nrw=randread\nsize=512k\nloops=2", False),
    ("io_uring fixedbufs registerfiles", "ioengine=io_uring\nfixedbufs\nregisterfiles\niodepth=16\nrw=randwrite\nsize=1m", False),
    ("io_uring nonvectored=0", "ioengine=io_uring\nnonvectored=0\niodepth=16\nrw=randread\nsize=1m", False),
    ("io_uring sqthread_poll", "ioengine=io_uring\nsqthread_poll\niodepth=4\nrw=randread\nsize=1m", False),
    ("io_uring batches", "ioengine=io_uring\niodepth=32\niodepth_batch=16\niodepth_batch_complete_min=8\nrw=randread\nsize=2m", False),
    ("libaio batches", "ioengine=libaio\niodepth=32\niodepth_batch=16\niodepth_batch_complete_min=8\nrw=randread\nsize=2m", False),
    ("sync read", "ioengine=sync\nrw=read\nsize=512k", True),
    ("sync randwrite", "ioengine=sync\nrw=randwrite\nsize=512k", False),
    ("trim", "ioengine=psync\nrw=trim\nsize=1m", True),
    ("randtrim", "ioengine=psync\nrw=randtrim\nsize=1m", False),
    ("trimwrite", "ioengine=psync\nrw=trimwrite\nsize=512k", False),  # fio opens it without O_DIRECT: its writes come late
    ("randtrimwrite", "ioengine=io_uring\nrw=randtrimwrite\nsize=512k", False),
]


def run(program, text, device, extra=""):
    with compare.workspace() as cwd:
        path = compare.write_job(cwd, f"[j]\nbs=4k\ndirect=1\nfilename={device}\n{text}\n{extra.format(top=os.path.dirname(cwd))}")
        outcome = compare.execute([*program, path], cwd)
        log = os.path.join(os.path.dirname(cwd), "iolog")
        return outcome, [a._replace(file="") for a in trace.iolog(log)] if os.path.exists(log) else []


def queued(tracer, text, device, ops, options=("--audit=off",)):
    """What the block layer got of one run: whole job blocks of the job's own directions, because the guard reads before others write.

    Without the audit, which reads some blocks of a device before the run to see whether it has data.
    """
    tracer.start()
    outcome, _ = run([compare.fio_link(), *options], text, device)
    return outcome, [a for a in tracer.accesses(device) if a.length == 4096 and a.op in ops]


def check(checks, name, ours, expected, ordered):
    more, less = collections.Counter(ours) - collections.Counter(expected), collections.Counter(expected) - collections.Counter(ours)
    same = ours == expected if ordered else not more and not less
    checks.check(f"{name}: {'same order' if ordered else 'same set'}", same,
                 f"{len(ours)} I/Os, expected {len(expected)}; too many {list(more)[:4]}, missing {list(less)[:4]}, first {ours[:4]}")


def main():
    compare.need("fio")
    places.need()
    checks = compare.Checks()
    with trace.block_trace() as tracer, places.loop_device("8m") as device:
        for name, text, ordered in JOBS:
            if not checks.wanted(name):
                continue
            _, expected = run([compare.FIO], text, device, "write_iolog={top}/iolog\n")
            outcome, ours = queued(tracer, text, device, {a.op for a in expected})
            checks.check(f"{name}: runs", outcome.rc == 0 and expected, outcome.stdout[-300:] + outcome.stderr)
            check(checks, name, ours, expected, ordered)
        if checks.wanted("audit"):
            _, ours = queued(tracer, "rw=read\nsize=1m", device, {"read"}, options=())
            samples = [trace.Access("read", "", at, 4096) for at in range(0, 1 << 20, (1 << 20) // 32)]
            check(checks, "audit: 32 blocks before the job's own", ours[:32], samples, ordered=True)
            checks.check("audit: no other I/O", len(ours) == 32 + 256, f"{len(ours)} I/Os")
    checks.done()


main()

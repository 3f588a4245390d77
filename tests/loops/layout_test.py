"""Hot structures as the compiler laid them out, read with gdb's `ptype /o`: the fields of each path together in whole cache lines, and no
hole but the tail of a line. Cache lines touched per I/O are the measure that the field's fastest drivers go by.
"""
# label: test
# timeout: 400
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.environ["FATHOM_SOURCE"]
PROBE = """
#include "engine/null.h"
#include "engine/userspace/nvme.h"
#include "engine/userspace/nvme_policy.h"
#include "run/loop/queue_loop_slow.h"
#include "run/loop/sync_loop.h"
using namespace fathom;
using Traits = run::loop::LoopTraits<engine::NullEngine, clock::sources::CpuClock, run::loop::Stamping::fathom, false>;
using Queue = run::loop::QueueLoop<Traits>;
using Sync = run::loop::SyncLoop<Traits>;
using QueueCore = run::loop::LoopCore<Queue, Traits>;
using SyncCore = run::loop::LoopCore<Sync, Traits>;
Queue* queue;
Sync* sync_;
QueueCore* queue_core;
SyncCore* sync_core;
run::records::Measured* measured;
io::Request* request;
engine::userspace::NvmeEngine<engine::userspace::kDeepPolicy>* nvme_engine;
nvme::QueueCore* nvme_queue;
nvme::Tracker* tracker;
void touch(run::loop::LoopContext& c, engine::NullEngine& e) { queue = new Queue(e, {}, c); queue->run(); sync_ = new Sync(e, {}, c); sync_->run(); }
"""
# type as gdb knows it: {cache line: fields that must lie in it}. Lines count from the start of the type.
CORE = ["conversion_", "measured_", "stop_", "next_", "block_end_", "last_", "deadline_"]
TYPES = {
    "fathom::run::records::DoneCounts": {0: ["ios", "bytes"]},
    "fathom::run::records::SubmitCounts": {0: ["issued", "alone"]},
    "fathom::run::records::ReapCounts": {0: ["alone", "empty"]},
    "fathom::run::records::LatencySums": {0: ["moments"]},
    "fathom::stats::Moments": {0: ["n", "max", "min_inverted", "sum", "sum_squares"]},
    "fathom::run::records::DirectionRecord": {0: ["clat"]},
    "fathom::io::Request": {0: ["offset", "due_ns", "length", "target", "dir", "flags"]},
    "Queue::Slot": {0: ["request", "start", "issue", "done_bytes"]},
    "QueueCore": {0: CORE},
    "SyncCore": {0: CORE},
    "fathom::nvme::Tracker": {0: ["callback", "context", "state"]},
    # Of a queue pair: the submission line and the completion line.
    "fathom::nvme::QueueCore": {0: ["sq_", "trackers_", "free_", "sq_doorbell_", "sq_tail_", "sq_rung_", "sq_mask_", "free_count_", "reserved_", "cost_ticks_"],
                                1: ["cq_", "cq_doorbell_", "cq_head_", "cq_rung_", "cq_mask_", "in_flight_max_", "tracker_mask_", "waiting_count_"]},
    "Queue": {"own": ["engine_", "slots_", "free_", "posted_", "completions_", "depth_", "batch_", "in_flight_", "unrung_", "low_target_", "free_count_"]},
}

# Not packed: what does not belong to the path lies behind the lines that do.
WITH_HOLES = {"fathom::nvme::QueueCore"}


def layout(probe, name):
    """[(offset, size, field)] of the first level of a type, in order."""
    shown = subprocess.run(["gdb", "-batch", "-nx", "-ex", "set language c++", "-ex", "set max-value-size unlimited", "-ex", "set print type methods off", "-ex", "set print type typedefs off",
                            "-ex", f"ptype /o {name}", probe], capture_output=True, text=True)
    if "type = " not in shown.stdout:
        sys.exit(f"gdb does not know {name}:\n{shown.stdout}{shown.stderr}")
    fields, depth = [], 0
    lines = shown.stdout.split("\n")
    for line in lines:
        # A nested type is closed by a line that names the field.
        opening = re.match(r"^/\* +(\d+)(?::\d+)? +\| +(\d+) +\*/ .*\{$", line)
        if opening:
            if depth == 0:
                start = (int(opening.group(1)), int(opening.group(2)))
            depth += 1
            continue
        closing = re.match(r"^ +\} (.*);$", line)
        if closing and depth > 0:
            depth -= 1
            if depth == 0:
                fields.append((*start, closing.group(1)))
            continue
        field = re.match(r"^/\* +(\d+)(?::\d+)? +\| +(\d+) +\*/ +(.*);$", line)
        if field and depth == 0:
            fields.append((int(field.group(1)), int(field.group(2)), field.group(3)))
    return [(offset, size, re.sub(r"\[.*", "", words.split()[-1].lstrip("*&"))) for offset, size, words in fields]


def holes(fields):
    """Bytes between fields, but those that only fill up a cache line."""
    return [f"{b[0] - a[0] - a[1]} bytes before {b[2]} at {b[0]}" for a, b in zip(fields, fields[1:]) if b[0] > a[0] + a[1] and b[0] % 64 != 0]


def faults(fields, wanted):
    found = [f"hole: {h}" for h in holes(fields)]
    where = {name: (offset, size) for offset, size, name in fields}
    for line, names in wanted.items():
        missing = [n for n in names if n not in where]
        found += [f"no field {n}" for n in missing]
        if missing or not names:
            continue
        first = where[names[0]][0] if line == "own" else line * 64
        if first % 64 != 0:
            found.append(f"{names[0]} at {first} does not begin a cache line")
        found += [f"{n} at {where[n][0]} is not in the line at {first}" for n in names if not first <= where[n][0] < first + 64]
    return found


def main():
    if os.environ.get("FATHOM_SANITIZE"):
        print("skipped: the layout is that of the plain build")
        return 77
    for tool in ("gdb", "g++"):
        if shutil.which(tool) is None:
            print(f"skipped: {tool} is not installed")
            return 77
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        source, probe = os.path.join(folder, "witness.cc"), os.path.join(folder, "probe.so")
        with open(source, "w", encoding="ascii") as f:
            f.write(PROBE)
        subprocess.run(["g++", "-std=c++20", "-g", "-O1", "-fPIC", "-shared", f"-I{SOURCE}/src", source, "-o", probe], check=True)
        for name, wanted in TYPES.items():
            found = [f for f in faults(layout(probe, name), wanted) if name not in WITH_HOLES or not f.startswith("hole")]
            failed += bool(found)
            print(("FAIL " if found else "ok   ") + name, *("\n     " + f for f in found))
    planted = faults([(0, 8, "a"), (72, 8, "b")], {0: ["a", "b"]}) + faults([(0, 8, "a"), (64, 8, "b")], {0: ["c"]})
    if len(planted) != 3:
        sys.exit(f"a planted hole and a field that is missing are not seen: {planted}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

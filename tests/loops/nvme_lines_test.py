"""Cache lines touched an I/O, the source's own measure ("10.39M Storage I/O Per Second From One Thread": task 1 + request 3 + tracker 1 = 5).

Every load and store of the driver's process is written down by valgrind's lackey, while the device is the controller in software in a
process of its own; test_loops prints which address belongs to which structure (nvme_lines_test.cc). A turn of the loop goes from one
submission doorbell to the next; an I/O's lines are the distinct lines that a turn touches in a structure, over the I/Os of the turn. Rings
and payload are the wire and are shown apart. What a turn touches whatever its size (the loop, the queue pair, sums and histograms) is shown
apart too, and is held to a number of lines a turn.
"""
# label: timing
# timeout: 900
# alone: the device has the other CPU
import collections
import os
import shutil
import subprocess
import sys
import tempfile

FATHOM, BUILD = os.environ["FATHOM"], os.environ["FATHOM_BUILD"]
DEPTH = 128
AN_IO = ["slots", "requests", "trackers", "free slots", "completions", "free CIDs"]
WIRE = ["submission ring", "completion ring", "payload", "submission doorbell", "completion doorbell"]
AN_IO_MOST, A_TURN_MOST = 3.0, 64


class Map:
    """Which structure an address is in."""

    def __init__(self, ranges):
        self.pages = collections.defaultdict(list)
        for begin, size, name in ranges:
            for page in range(begin >> 12, (begin + size - 1 >> 12) + 1):
                self.pages[page].append((begin, begin + size, name))

    def name_of(self, address):
        # The loop contains the block of requests, the record its histograms: the smallest range that holds the address.
        found = [(end - begin, name) for begin, end, name in self.pages.get(address >> 12, ()) if begin <= address < end]
        return min(found)[1] if found else "stack and others"


def turns(trace, doorbell, where):
    """One {structure: set of lines} a turn, and the I/Os of each: the stores into the submission ring are 64 bytes an I/O."""
    seen, bytes_written, begun = collections.defaultdict(set), 0, False
    for line in trace:
        if line[1:2] not in (b"L", b"S", b"M"):
            continue
        address, size = line[3:].split(b",")
        address, size = int(address, 16), int(size)
        if begun:
            name = where.name_of(address)
            seen[name].update(range(address >> 6, (address + size - 1 >> 6) + 1))
            if name == "submission ring":
                bytes_written += size
        if address == doorbell and line[1:2] == b"S":
            if begun:
                yield seen, bytes_written // 64
            seen, bytes_written, begun = collections.defaultdict(set), 0, True


def ranges_of(program):
    ranges = []
    for line in program.stdout:
        words = line.decode().split(maxsplit=3)
        if words[:2] == ["ranges", "end"]:
            return ranges
        if words[:1] == ["range"]:
            ranges.append((int(words[1], 16), int(words[2]), words[3].strip()))
    return []


def trace_turns(folder, socket):
    fifo = os.path.join(folder, "trace")
    os.mkfifo(fifo)
    argv = ["valgrind", "--tool=lackey", "--trace-mem=yes", "--basic-counts=no", f"--log-file={fifo}", os.path.join(BUILD, "test_loops"), "--gtest_filter=NvmeLines.PerIoData*"]
    program = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "FATHOM_LINES_DEVICE": f"vfio-user:{socket}"})
    trace = open(fifo, "rb")
    # What comes before the ranges are known is start-up; the pipe is emptied meanwhile.
    drain = subprocess.Popen(["grep", "-a", "--line-buffered", "-m1", "-e", "never"], stdin=trace, stdout=subprocess.DEVNULL)
    ranges = ranges_of(program)
    drain.terminate()
    drain.wait()
    if not ranges:
        sys.exit(f"no ranges: {program.stderr.read().decode()[-2000:]}")
    doorbell = next(begin for begin, _, name in ranges if name == "submission doorbell")
    found = list(turns(trace, doorbell, Map(ranges)))
    out, err = program.communicate()
    if program.returncode != 0:
        sys.exit(f"{out.decode()[-2000:]}{err.decode()[-2000:]}")
    return found


def self_check():
    where = Map([(0x1000, 128, "slots"), (0x2000, 4, "submission doorbell"), (0x3000, 256, "submission ring"), (0x1040, 8, "inner")])
    trace = [b" S 2000,4\n", b"I  10,3\n", b" L 1000,8\n", b" L 103c,8\n", b" S 3000,64\n", b" M 9000,4\n", b" S 2000,4\n", b" L 1000,8\n"]
    seen, ios = next(turns(trace, 0x2000, where))
    assert ios == 1 and seen["slots"] == {0x40, 0x41} and seen["stack and others"] == {0x240}, (seen, ios)
    assert where.name_of(0x1041) == "inner" and where.name_of(0x1080) == "stack and others"


def main():
    self_check()
    if os.environ.get("FATHOM_SANITIZE"):
        print("skipped: a sanitizer's accesses are not fathom's")
        return 77
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return 77
    # Where something else has the device's CPU, turns find fewer completions than they could.
    return 0 if any(judged_turns() for _ in range(3)) else 1


def judged_turns():
    with tempfile.TemporaryDirectory() as folder:
        socket = os.path.join(folder, "s")
        server = subprocess.Popen([FATHOM, "nvme", "serve", "--socket", socket, "--soft=ideal"], stdout=subprocess.PIPE, text=True)
        try:
            if "serv" not in server.stdout.readline():
                sys.exit("fathom nvme serve did not say that it serves")
            found = trace_turns(folder, socket)
        finally:
            server.terminate()
            server.communicate()
    whole = [(seen, ios) for seen, ios in found if ios == DEPTH]
    print(f"{len(found)} turns, {len(whole)} of them of {DEPTH} I/Os")
    if len(whole) < 10:
        print("FAIL too few whole turns to say anything")
        return False
    ios = len(whole) * DEPTH
    lines = collections.Counter()
    for seen, _ in whole:
        lines.update({name: len(touched) for name, touched in seen.items()})
    for name in AN_IO:
        print(f"  {name:22} {lines[name] / ios:6.3f} lines an I/O")
    an_io = sum(lines[name] for name in AN_IO) / ios
    rest = [name for name in lines if name not in AN_IO and name not in WIRE]
    a_turn = sum(lines[name] for name in rest) / len(whole)
    print(f"  loop, request, tracker {an_io:6.3f} lines an I/O, at most {AN_IO_MOST} (the source: task 1 + request 3 + tracker 1 = 5)")
    print(f"apart: {a_turn:.1f} lines a turn, at most {A_TURN_MOST}, whatever the number of its I/Os ({a_turn / DEPTH:.3f} an I/O): "
          + ", ".join(f"{name} {lines[name] / len(whole):.1f}" for name in sorted(rest)))
    print("apart: " + ", ".join(f"{name} {lines[name] / ios:.3f}" for name in WIRE) + " an I/O")
    missing = [name for name in AN_IO + ["submission ring", "completion ring"] if lines[name] == 0]
    if missing:
        print(f"FAIL nothing touched of {missing}: the ranges are not what the path uses")
    good = an_io <= AN_IO_MOST and a_turn <= A_TURN_MOST and lines["payload"] == 0 and not missing
    print("ok" if good else "FAIL")
    return good


if __name__ == "__main__":
    sys.exit(main())

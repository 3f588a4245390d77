"""In the finished release program, after every optimisation: each barrier of the cross-core clock test is exactly the instruction that its
name says, between the load of the sequence and the counter's reading, and nothing else that orders stands there. Found by marks; no mark
is a failure. The same judge is shown to refuse programs with a planted wrong barrier."""
# label: timing
# timeout: 600
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(SOURCE / "tests/house"))
import marks  # noqa: E402

FATHOM = os.environ.get("FATHOM", str(SOURCE / "build/fathom"))
CXX = os.environ.get("CXX", "g++")
ORDERING = re.compile(r"^(mfence|lfence|sfence|serialize|cpuid|lock .*|xchg .*\(.*)$")
WANTED = {"mfence": ["mfence"], "lock-or": ["lock orq $0x0,(%rsp)"], "lfence": ["lfence"], "none": []}
BUILTIN = (["mfence"], ["lock orq $0x0,(%rsp)"], ["lock orl $0x0,(%rsp)"], ["lock addl $0x0,(%rsp)"])


def text(instruction):
    return f"{instruction.mnemonic} {instruction.operands}".strip()


def loads_sequence(instruction):
    """mov (%reg),%r32: an aligned 32-bit load through a register."""
    return re.fullmatch(r"mov +(0x[0-9a-f]+)?\(%r\w+\),%(e\w\w|r\d+d)", text(instruction)) is not None


def paths(code, start, steps, ends, most=40):
    """Every way from start (left out) along steps up to an instruction that ends it, which is its last; None for one that never ends."""
    found, open_ways = [], [[n] for n in steps[start]]
    while open_ways:
        way = open_ways.pop()
        if ends(code[way[-1]]):
            found.append([code[i] for i in way])
        elif not steps[way[-1]] or len(way) > most:
            found.append(None)
        else:
            open_ways += [way + [n] for n in steps[way[-1]]]
    return found


def judge_read(code, read_at, wanted):
    """What is wrong about one marked reading, as a list of sentences: every way that leads to it and from it is looked at."""
    read = marks.at(code, read_at)
    if read >= len(code) or code[read].address != read_at or code[read].mnemonic != "rdtsc":
        return [f"no rdtsc at its mark {read_at:#x}"]
    successors, predecessors = marks.flow(code)
    wrong = []
    for way in paths(code, read, predecessors, loads_sequence) or [None]:
        if way is None:
            wrong.append("no load of the sequence before it")
            continue
        found = [text(i) for i in reversed(way) if ORDERING.match(text(i)) or i.mnemonic.startswith(("call", "rdtsc"))]
        if found not in wanted:
            wrong.append(f"between the load and rdtsc: {found}, wanted one of {wanted}")
    swaps = paths(code, read, successors, lambda i: ORDERING.match(text(i)) or i.mnemonic.startswith("call"))
    if not swaps or any(way is None or not text(way[-1]).startswith("lock cmpxchg") for way in swaps):
        wrong.append(f"after rdtsc comes {[way and text(way[-1]) for way in swaps]}, not lock cmpxchg")
    return wrong


def judge(program):
    """Sentences about every barrier; every name needs at least one mark."""
    barriers = {n.removeprefix("clock.barrier."): [] for n, _ in program.marks("clock.barrier.")}
    for name, address in program.marks("clock.barrier."):
        barriers[name.removeprefix("clock.barrier.")].append(address)
    reads = sorted(program.marks("clock.read."), key=lambda m: m[1])
    wrong = [f"{name}: no mark" for name in [*WANTED, "builtin"] if name not in barriers]
    for name, addresses in barriers.items():
        for address in addresses:
            read = next((a for n, a in reads if n == f"clock.read.{name}" and a >= address), None)
            if read is None:
                wrong.append(f"{name}: no mark of the reading")
                continue
            wanted = BUILTIN if name == "builtin" else [WANTED[name]]
            wrong += [f"{name}: {w}" for w in judge_read(program.function_at(read), read, wanted)]
    return wrong


PLANTED = """
#include <atomic>
#include <cstdint>
#include "{header}"
namespace c = fathom::clock::cores;
template <c::Barrier B> [[gnu::noinline]] std::uint64_t take(std::atomic<std::uint32_t>& s) {{
  std::uint32_t place, expected; std::uint64_t t;
  do {{ place = expected = s.load(std::memory_order_relaxed); {extra}; t = c::OrderedRead<B>::now(); {late}; }}
  while (!s.compare_exchange_strong(expected, place + 1));
  return t;
}}
int main(int n, char**) {{
  std::atomic<std::uint32_t> s(n);
  return int(take<c::Barrier::mfence>(s) + take<c::Barrier::lock_or>(s) + take<c::Barrier::lfence>(s) + take<c::Barrier::none>(s)
             + take<c::Barrier::builtin>(s));
}}
"""


@unittest.skipUnless(platform.machine() == "x86_64", "the instructions are x86's")
class ClockBarriers(unittest.TestCase):
    def planted(self, change=lambda header: header, extra="", late="", strip=False):
        """The judge's sentences on a small program made of a changed barrier.h."""
        with tempfile.TemporaryDirectory(prefix="fathom-barriers-") as folder:
            header = change((SOURCE / "src/clock/cores/barrier.h").read_text())
            pathlib.Path(folder, "barrier.h").write_text(header)
            pathlib.Path(folder, "p.cc").write_text(PLANTED.format(header=f"{folder}/barrier.h", extra=extra, late=late))
            subprocess.run([CXX, "-std=c++20", "-O2", f"-I{SOURCE}/src", f"{folder}/p.cc", "-o", f"{folder}/p"], check=True, timeout=300)
            if strip:
                subprocess.run(["objcopy", "-R", ".fathom.marks", f"{folder}/p"], check=True, timeout=100)
            return judge(marks.Program(f"{folder}/p"))

    def test_the_header_as_it_is_passes(self):
        self.assertEqual(self.planted(), [])

    def test_a_wrong_instruction_is_found(self):
        wrong = self.planted(lambda h: h.replace('ASM_BARRIER(mfence, "mfence", "mfence")', 'ASM_BARRIER(mfence, "mfence", "lfence")'))
        self.assertEqual(len(wrong), 1, wrong)
        self.assertIn("mfence: between the load and rdtsc: ['lfence']", wrong[0])

    def test_a_missing_barrier_is_found(self):
        wrong = self.planted(lambda h: h.replace('ASM_BARRIER(lfence, "lfence", "lfence")', 'ASM_BARRIER(lfence, "lfence", "")'))
        self.assertEqual(len(wrong), 1, wrong)
        self.assertIn("lfence: between the load and rdtsc: []", wrong[0])

    def test_an_extra_barrier_is_found(self):
        self.assertEqual(len(self.planted(extra='asm volatile("lfence" ::: "memory")')), 5)

    def test_an_instruction_before_cmpxchg_is_found(self):
        wrong = self.planted(late='asm volatile("mfence" ::: "memory")')
        self.assertEqual(len(wrong), 5, wrong)
        self.assertIn("not lock cmpxchg", wrong[0])

    def test_missing_marks_are_found(self):
        self.assertEqual(len(self.planted(strip=True)), 5)

    def test_the_programs_barriers_are_as_written(self):
        if os.environ.get("FATHOM_SANITIZE"):
            self.skipTest("a sanitizer's code stands between the instructions")
        program = marks.Program(FATHOM)
        if program.machine != "x86_64":
            self.skipTest(f"the program is {program.machine}'s")
        self.assertEqual(judge(program), [])


if __name__ == "__main__":
    unittest.main()

"""In the finished release program: between the stamps of each kind of access stand exactly the instructions that src/paging/touch/access_asm.h
says, and nothing that a compiler put there. Found by marks; no mark is a failure. The same judge is shown to refuse planted changes."""
# label: test
# cost: 9
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

REGISTER = r"%(?:e\w\w|r\d+d)"
WORD = r"(?:-?0x[0-9a-f]+)?\(%r\w+(?:,%r\w+(?:,1)?)?\)"
LOAD = rf"mov (?:{WORD}),{REGISTER}"
STORE = rf"mov {REGISTER},(?:{WORD})"
KEEP = [r"shl \$0x20,%rdx", r"lea \(%rdx,%rax,1\),%r\w+"]
ACCESS = {"load": [LOAD], "store": [STORE], "update": [LOAD, STORE], "empty": []}
STAMPS = {
    "fenced": (["lfence", "rdtsc", "lfence"], ["rdtscp", "lfence"]),
    "rdtscp": (["rdtscp"], ["rdtscp"]),
    "rdtsc": (["rdtsc"], ["rdtsc"]),
}


def wanted(name):
    """What stands from the mark on, as patterns; None for a name that does not exist."""
    stamps, _, touch = name.partition(".")
    if touch not in ACCESS:
        return None
    if stamps == "plain":
        return ACCESS[touch]
    if stamps not in STAMPS:
        return None
    first, second = STAMPS[stamps]
    return first + ACCESS[touch] + KEEP + second


NAMES = [f"{stamps}.{touch}" for stamps in [*STAMPS, "plain"] for touch in ACCESS]


def text(instruction):
    return f"{instruction.mnemonic} {instruction.operands}".strip()


def judge(program):
    found = {name.removeprefix("paging.access."): [] for name, _ in program.marks("paging.access.")}
    for name, address in program.marks("paging.access."):
        found[name.removeprefix("paging.access.")].append(address)
    wrong = [f"{name}: no mark" for name in NAMES if name not in found]
    for name, addresses in found.items():
        patterns = wanted(name)
        if patterns is None:
            wrong.append(f"{name}: an unknown mark")
            continue
        for address in addresses:
            code = program.function_at(address)
            at = marks.at(code, address)
            there = [text(i) for i in code[at:at + len(patterns)]]
            if len(there) != len(patterns) or any(not re.fullmatch(p, t) for p, t in zip(patterns, there)):
                wrong.append(f"{name} at {address:#x}: {there}, wanted {patterns}")
    return wrong


def judge_calls(program):
    """The loop over clock_gettime calls it on either side of the plain access."""
    wrong = []
    for touch in ("load", "store"):
        seen = 0
        for name, address in program.marks(f"paging.access.plain.{touch}"):
            _, symbol = program.function_of(address)
            if "6StampsE3" not in symbol or "10AccessModeE1" in symbol:
                continue
            code = program.function_at(address)
            at = marks.at(code, address)
            calls = [i for i, c in enumerate(code) if c.mnemonic.startswith("call") and "clock_gettime" in c.operands]
            seen += any(0 < at - i < 12 for i in calls) and any(0 < i - at < 12 for i in calls)
        if seen == 0:
            wrong.append(f"no {touch} between two calls of clock_gettime")
    return wrong


PLANTED = """
#include "{header}"
using namespace fathom::paging;
using namespace fathom::paging::touch;
template <Stamps S> unsigned long all(unsigned& w) {{
  return TimedAccess<S, Touch::load>::timed(w, 1).ticks + TimedAccess<S, Touch::store>::timed(w, 1).ticks
       + TimedAccess<S, Touch::update>::timed(w, 1).ticks + TimedAccess<S, Touch::empty>::timed(w, 1).ticks;
}}
int main(int n, char** v) {{
  auto& w = *reinterpret_cast<unsigned*>(v[0]);
  PlainAccess<Touch::load>::touch_word(w, 1);
  PlainAccess<Touch::store>::touch_word(w, 1);
  PlainAccess<Touch::update>::touch_word(w, 1);
  PlainAccess<Touch::empty>::touch_word(w, 1);
  return int(all<Stamps::fenced>(w) + all<Stamps::rdtscp>(w) + all<Stamps::rdtsc>(w)) + n;
}}
"""


@unittest.skipUnless(platform.machine() == "x86_64", "the instructions are x86's")
class AccessInstructions(unittest.TestCase):
    def planted(self, change=lambda header: header, strip=False):
        with tempfile.TemporaryDirectory(prefix="fathom-access-") as folder:
            header = change((SOURCE / "src/paging/touch/access_asm.h").read_text())
            pathlib.Path(folder, "access.h").write_text(header)
            pathlib.Path(folder, "p.cc").write_text(PLANTED.format(header=f"{folder}/access.h"))
            subprocess.run([CXX, "-std=c++20", "-O2", f"-I{SOURCE}/src", f"{folder}/p.cc", "-o", f"{folder}/p"], check=True, timeout=100)
            if strip:
                subprocess.run(["objcopy", "-R", ".fathom.marks", f"{folder}/p"], check=True, timeout=20)
            return judge(marks.Program(f"{folder}/p"))

    def test_the_header_as_it_is_passes(self):
        self.assertEqual(self.planted(), [])

    def test_a_missing_fence_is_found(self):
        wrong = self.planted(lambda h: h.replace("lfence\\n\\trdtsc\\n\\tlfence\\n\\t", "lfence\\n\\trdtsc\\n\\t"))
        self.assertEqual(len(wrong), 4, wrong)
        wrong = self.planted(lambda h: h.replace('"rdtscp\\n\\tlfence"', '"rdtscp"'))
        self.assertEqual(len(wrong), 4, wrong)

    def test_an_extra_instruction_between_the_stamps_is_found(self):
        wrong = self.planted(lambda h: h.replace('#define FATHOM_LOAD "', '#define FATHOM_LOAD "nop\\n\\t'))
        self.assertEqual(len(wrong), 8, wrong)

    def test_a_wider_access_is_found(self):
        wrong = self.planted(lambda h: h.replace("movl %[word],%[scratch]", "movq %[word],%q[scratch]"))
        self.assertEqual(len(wrong), 8, wrong)

    def test_missing_marks_are_found(self):
        self.assertEqual(len(self.planted(strip=True)), len(NAMES))

    def test_the_programs_accesses_are_as_written(self):
        if os.environ.get("FATHOM_SANITIZE"):
            self.skipTest("a sanitizer's code stands between the instructions")
        program = marks.Program(FATHOM)
        if program.machine != "x86_64":
            self.skipTest(f"the program is {program.machine}'s")
        wrong = [w for w in judge(program) if not w.startswith("plain.empty")]  # nobody makes it but the clock's floor
        self.assertEqual(wrong + judge_calls(program), [])


if __name__ == "__main__":
    unittest.main()

"""Marks in the finished program (src/base/marks.h) and its machine code, read with objdump. Tests start at a mark and look at the
instructions around it; a program without marks is a failure of theirs, never a pass.

    program = marks.Program(path)            program.marks("clock.") -> [(name, address)]; program.machine -> "x86_64"
    code = program.function_at(address)      [Instruction(address, mnemonic, operands, target)] of the whole function, in order
    marks.at(code, address)                  index in it of the first instruction at or after address
    marks.flow(code)                         (successors, predecessors): {index: [index]} along falls and jumps within the function
Prefixes (lock, rep) are part of the mnemonic: "lock cmpxchg". target is the address a jump or call names, None where there is none."""
import bisect
import collections
import functools
import re
import struct
import subprocess

Instruction = collections.namedtuple("Instruction", "address mnemonic operands target")

_ROW = re.compile(r"^ *([0-9a-f]+):\t((?:[0-9a-f]{2,8} )+) *\t?(.*)$")
_SYMBOL = re.compile(r"^([0-9a-f]+) <(.*)>:$")
_PREFIXES = {"lock", "rep", "repz", "repnz", "bnd", "notrack", "data16", "cs", "ds", "es"}
_PADDING = re.compile(r"^((cs |data16 )*nop|xchg +%ax,%ax)")
_TARGET = re.compile(r"^(?:\S+, *)*([0-9a-f]+)(?: <|$)")


def _objdump(*arguments):
    return subprocess.run(["objdump", *arguments], capture_output=True, text=True, check=True, timeout=300).stdout


def parse_section(dump):
    """Bytes of a section as `objdump -s` prints them."""
    data = bytearray()
    for row in dump.split("\n"):
        if match := re.match(r"^ [0-9a-f]+ ((?:[0-9a-f]{2,8} ){1,4})", row):
            data += bytes.fromhex(match.group(1).replace(" ", ""))
    return bytes(data)


def parse_marks(data):
    """[(name, address)] from the bytes of .fathom.marks: eight of address, the name, a zero."""
    found, at = [], 0
    while at + 8 < len(data):
        end = data.index(b"\0", at + 8)
        found.append((data[at + 8:end].decode(), struct.unpack_from("<Q", data, at)[0]))
        at = end + 1
    return found


def parse_instruction(address, text):
    """Of "lock cmpxchg %ecx,(%rdx)" or "jne    401136 <f+0x6>"; comments behind # are dropped."""
    words = text.split("#")[0].split(" //")[0].split()
    count = 1
    while count < len(words) and words[count - 1] in _PREFIXES:
        count += 1
    mnemonic, operands = " ".join(words[:count]), " ".join(words[count:])
    match = _TARGET.match(operands) if mnemonic[:1] in "jbct" or mnemonic.startswith("bnd") else None
    return Instruction(address, mnemonic, operands, int(match.group(1), 16) if match else None)


def parse_code(dump):
    """{start: (symbol, [Instruction])} from `objdump -d`."""
    functions, code = {}, None
    for row in dump.split("\n"):
        if symbol := _SYMBOL.match(row):
            code = []
            functions[int(symbol.group(1), 16)] = (symbol.group(2), code)
        elif (found := _ROW.match(row)) and code is not None and found.group(3):
            code.append(parse_instruction(int(found.group(1), 16), found.group(3)))
    return functions


def at(code, address):
    return bisect.bisect_left([i.address for i in code], address)


def flow(code):
    """Calls fall through; ret, hlt, ud2 and jumps out of the function end a path. An indirect jump's targets are not known. Padding that
    nothing leads to leads nowhere."""
    index = {instruction.address: i for i, instruction in enumerate(code)}
    successors, predecessors = {i: [] for i in range(len(code))}, {i: [] for i in range(len(code))}
    for i, instruction in enumerate(code):
        jumps = instruction.mnemonic.startswith(("j", "b.", "cb", "tb")) or instruction.mnemonic == "b"
        ends = instruction.mnemonic.split()[-1] in ("jmp", "ret", "hlt", "ud2", "b")
        nexts = [] if ends or i + 1 == len(code) else [i + 1]
        if jumps and instruction.target in index:
            nexts.append(index[instruction.target])
        successors[i] = nexts
        for n in nexts:
            predecessors[n].append(i)
    for i, instruction in enumerate(code):
        if i > 0 and not predecessors[i] and _PADDING.match(f"{instruction.mnemonic} {instruction.operands}"):
            for n in successors[i]:
                predecessors[n].remove(i)
            successors[i] = []
    return successors, predecessors


class Program:
    def __init__(self, path):
        self.path = str(path)

    @functools.cached_property
    def _all_marks(self):
        found = subprocess.run(["objdump", "-s", "-j", ".fathom.marks", self.path], capture_output=True, text=True, timeout=300)
        return parse_marks(parse_section(found.stdout)) if found.returncode == 0 else []

    @functools.cached_property
    def functions(self):
        """{start: (symbol, [Instruction])} of the whole program; a function cut in two (.cold) is two."""
        return parse_code(_objdump("-d", "-w", self.path))

    @functools.cached_property
    def _starts(self):
        return sorted(self.functions)

    @property
    def machine(self):
        """As platform.machine() says it of this computer; objdump may not know another's code."""
        with open(self.path, "rb") as program:
            head = program.read(20)
        return {62: "x86_64", 183: "aarch64"}.get(struct.unpack_from("<H", head, 18)[0], "unknown")

    def marks(self, prefix=""):
        return [(name, address) for name, address in self._all_marks if name.startswith(prefix)]

    def function_of(self, address):
        """(start, symbol) of the function that an address lies in."""
        start = self._starts[bisect.bisect_right(self._starts, address) - 1]
        return start, self.functions[start][0]

    def function_at(self, address):
        return self.functions[self.function_of(address)[0]][1]

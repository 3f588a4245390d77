"""The loops of the null and nvme engines in the finished program: what their every path that stays in them may hold.

Each loop carries the mark loop.turn. From a mark, the instructions that lie on some way back to a mark are the loop, with the rare paths
that the compiler put elsewhere (.cold). In it there is no division, no lock prefix, no fence, no indirect jump, and no call but the one
that refills the block of requests, which is once in 128 I/Os. Without marks, or without the loops that are looked for, the test fails.
"""
# label: test
# timeout: 600
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ["FATHOM_SOURCE"], "tests", "house"))
import marks  # noqa: E402

FORBIDDEN = re.compile(r"^(i?div|lock |[msl]fence$|cpuid$|vz?i?div)|div[sp][sd]$")
ALLOWED_CALL = re.compile(r"6refillEv")
# Of a loop over the NVMe driver: what lies beside its path, by name, and the fence that stores past the cache need before the doorbell, once
# a batch. The one indirect call is the step of a device that its driver has to step, where nothing was there to do.
NVME_CALL = re.compile(r"6refillEv|9post_rareE|11post_slowlyE|6refuseE|9take_lateE|9wait_idleE|17spin_for_doorbellE|4feedEv|"
                       r"9take_someI|9call_backE|4restEv|22finish_short_or_failedE|11reap_failedE|__assert_fail")
NVME_INDIRECT = 1
# Mangled: the loop, stamping (0 none, 1 fathom, 2 fio), not paced; the last word says whether every turn reads the clock.
LOOPS = {
    "sync, default stamps": (r"8SyncLoopI.*10NullEngine.*8CpuClock.*8StampingE1ELb0E", True),
    "sync, fio's stamps": (r"8SyncLoopI.*10NullEngine.*8CpuClock.*8StampingE2ELb0E", True),
    "sync, no stamps": (r"8SyncLoopI.*10NullEngine.*8CpuClock.*8StampingE0ELb0E", None),
    "queue, default stamps": (r"9QueueLoopI.*10NullEngine.*8CpuClock.*8StampingE1ELb0E", True),
    "queue, fio's stamps": (r"9QueueLoopI.*10NullEngine.*8CpuClock.*8StampingE2ELb0E", True),
    "queue, no stamps": (r"9QueueLoopI.*10NullEngine.*8CpuClock.*8StampingE0ELb0E", None),
    "nvme queue, shallow": (r"9QueueLoopI.*10NvmeEngineI\w*SqCopyE0ELNS\d_10SqDoorbellE0ELNS\d_10CqDoorbellE0ELNS\d_9LookaheadE1ELNS\d_6CqReadE1EE\w*8CpuClock\w*8StampingE1ELb0E", True),
    "nvme queue, deep": (r"9QueueLoopI.*10NvmeEngineI\w*SqCopyE2ELNS\d_10SqDoorbellE0ELNS\d_10CqDoorbellE0ELNS\d_9LookaheadE1ELNS\d_6CqReadE1EE\w*8CpuClock\w*8StampingE1ELb0E", True),
}


def whole_function(program, symbol):
    """A function and the cold parts that were cut from it, by address."""
    root = symbol.split(".cold")[0]
    parts = [code for start, (name, code) in sorted(program.functions.items()) if name == root or name.startswith(root + ".cold")]
    return sorted((i for code in parts for i in code), key=lambda i: i.address)


def reach(starts, edges):
    seen, todo = set(starts), list(starts)
    while todo:
        for n in edges[todo.pop()]:
            if n not in seen:
                seen.add(n)
                todo.append(n)
    return seen


def in_loop(code, tops, without=()):
    """Indexes of the instructions on some way from a top back to a top that does not lead over one of `without`."""
    successors, predecessors = marks.flow(code)
    blocked = set(without)
    forth = {n: [m for m in nexts if m not in blocked] for n, nexts in successors.items()}
    back = {n: [m for m in nexts if m not in blocked] for n, nexts in predecessors.items()}
    return sorted(reach(tops, forth) & reach(tops, back))


def blind_jumps(code, tops):
    """Jumps through a register or a table that a turn can come to: where they lead is not known, so the loop is not either."""
    seen = reach(tops, marks.flow(code)[0])
    return [f"{code[i].address:x}: {code[i].mnemonic} {code[i].operands}" for i in sorted(seen)
            if code[i].mnemonic.split()[-1] == "jmp" and code[i].target is None]


def faults(program, code, loop, nvme):
    names = {start: symbol for start, (symbol, _) in program.functions.items()}
    found, indirect = [], 0
    for i in loop:
        instruction = code[i]
        words = f"{instruction.address:x}: {instruction.mnemonic} {instruction.operands}"
        if FORBIDDEN.search(instruction.mnemonic) or (instruction.mnemonic == "xchg" and "(" in instruction.operands):
            if not (nvme and instruction.mnemonic == "sfence"):
                found.append(words)
        if instruction.mnemonic.startswith("call") and not (NVME_CALL if nvme else ALLOWED_CALL).search(names.get(instruction.target, "")):
            indirect += instruction.target is None
            if instruction.target is not None or not nvme or indirect > NVME_INDIRECT:
                found.append(words)
    return found


def look(program, title, pattern, reads):
    """One loop's faults; its code may lie in several functions, if the compiler inlined it into its caller."""
    by_function = {}
    for name, address in program.marks("loop.turn"):
        _, symbol = program.function_of(address)
        if re.search(pattern, symbol):
            by_function.setdefault(symbol.split(".cold")[0], {}).setdefault(name, []).append(address)
    if not by_function:
        return [f"no mark in a function that looks like {pattern}"]
    found, nvme = [], title.startswith("nvme")
    for symbol, by_name in by_function.items():
        code = whole_function(program, symbol)
        if "loop.turn.group" in by_name:  # one turn, called for each file in turn: the function from its mark on
            tops = [marks.at(code, a) for a in by_name["loop.turn.group"]]
            turn = sorted(reach(tops, marks.flow(code)[0]))
            found += faults(program, code, turn, nvme) + blind_jumps(code, tops)
            print(f"     {title}, loop.turn.group: {len(turn)} instructions from the mark on")
            continue
        tops = {name: [marks.at(code, a) for a in addresses] for name, addresses in by_name.items()}
        every = [t for some in tops.values() for t in some]
        found += faults(program, code, in_loop(code, every), nvme) + blind_jumps(code, every)
        wanted = {"loop.turn", "loop.turn.full"} if "queue" in title else {"loop.turn"}
        if set(tops) != wanted:
            found.append(f"{symbol}: marks {sorted(tops)} where {sorted(wanted)} belong")
        for name, some in tops.items():
            loop = in_loop(code, some, [t for t in every if t not in some])
            count = sum(code[i].mnemonic == "rdtsc" for i in loop)
            if len(loop) < 30:
                found.append(f"{symbol}: only {len(loop)} instructions come back to {name}")
            if reads and count < 2:
                found.append(f"{symbol}: {count} rdtsc in the loop of {name}, where a start or end of an I/O takes one each")
            print(f"     {title}, {name}: {len(loop)} instructions in the loop, {count} rdtsc")
    return found


def self_check():
    """The look at a loop must see what is planted in it."""
    row = marks.parse_instruction
    planted = [row(0, "nop"), row(1, "add $1,%rax"), row(2, "jne 8"), row(3, "jmp 0"), row(8, "div %rcx"), row(9, "jmp 0"), row(10, "idiv %rcx")]
    loop = in_loop(planted, [0])
    assert [planted[i].address for i in loop] == [0, 1, 2, 3, 8, 9], loop
    assert [planted[i].address for i in in_loop(planted, [0], [4])] == [0, 1, 2, 3]
    assert not blind_jumps(planted, [0]) and len(blind_jumps(planted + [row(11, "jmp *%rcx")], [7])) == 1
    assert FORBIDDEN.search("lock cmpxchg") and FORBIDDEN.search("divsd") and FORBIDDEN.search("mfence") and not FORBIDDEN.search("mul")


def main():
    if os.environ.get("FATHOM_SANITIZE"):
        print("skipped: sanitizers add calls everywhere")
        return 77
    if os.uname().machine != "x86_64":
        print("skipped: the forbidden instructions are x86's")
        return 77
    self_check()
    program = marks.Program(os.environ["FATHOM"])
    failed = 0
    for title, (pattern, reads) in LOOPS.items():
        found = look(program, title, pattern, reads)
        failed += bool(found)
        print("\n".join([("FAIL " if found else "ok   ") + title] + ["     " + f for f in found]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

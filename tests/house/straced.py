"""What `strace -f -o FILE` wrote, a call a line: one that another thread's cut in two, "unfinished" and "resumed", is put together again. Beside busy
processes every call may be."""
import re


def whole_calls(text):
    """Calls without the process's number, each where it ended."""
    begun, calls = {}, []
    for line in text.splitlines():
        pid, _, rest = line.partition(" ")
        rest = rest.strip()
        if rest.endswith("<unfinished ...>"):
            begun[pid] = rest[: -len("<unfinished ...>")].rstrip()
            continue
        resumed = re.match(r"<\.\.\. \w+ resumed>(.*)", rest)
        calls.append(begun.pop(pid, "") + resumed.group(1) if resumed else rest)
    return calls + list(begun.values())  # what was under way when its process ended

# label: test
# timeout: 120
"""What a replay of fio's iolog issues: fathom's system calls against fio's, as strace sees both. fio's side is recorded.

The times are checked by tests/loops/replay_flow_test.cc on a simulated clock. Here all logs are short, and only kinds, files, offsets, lengths
and numbers of syncs count.
"""
import collections
import os

import compare
import trace

V3 = "fio version 3 iolog\n"
V2 = "fio version 2 iolog\n"


def opened(version, *names):
    at = "0 " if version == V3 else ""
    return version + "".join(f"{at}{name} add\n" for name in names) + "".join(f"{at}{name} open\n" for name in names)


# name -> (log, options)
REPLAYS = {
    "version 3": (opened(V3, "f") + "10 f read 0 4096\n20 f write 8192 512\n1000 f read 65536 16384\n1100 f datasync 0 0\n1200 f close\n", ""),
    "version 2": (opened(V2, "f") + "f read 4096 4096\nf write 0 8192\nf wait 5 0\nf sync 0 0\nf read 12288 512\nf close\n", ""),
    "two files": (opened(V3, "f", "g") + "".join(f"{i * 10} {'fg'[i % 2]} read {i * 4096} 4096\n" for i in range(16)), ""),
    "times that go back": (opened(V3, "f") + "900 f read 0 4096\n100 f read 4096 4096\n950 f read 8192 4096\n", ""),
    "no stall": (opened(V3, "f") + "10 f read 0 4096\n100000000 f read 4096 4096\n", "replay_no_stall=1\n"),
    "an option that the log decides": (opened(V3, "f") + "10 f write 0 4096\n20 f read 0 4096\n", "rw=randread\nbs=512\nsize=64k\n"),
}


def replay(program, log, options):
    with compare.workspace() as cwd:
        compare.fill(cwd, {"f": "128k", "g": "128k"})
        path = os.path.join(os.path.dirname(cwd), "log")
        with open(path, "w") as f:
            f.write(log)
        job = compare.write_job(cwd, f"[r]\nioengine=psync\ninvalidate=0\n{options}read_iolog={path}\n")
        outcome, accesses, syncs = trace.strace([program, job], cwd)
        return [outcome.rc, [list(access) for access in accesses], dict(collections.Counter(syncs))]


def main():
    compare.need_fio("strace")
    checks = compare.Checks()
    for name, (log, options) in REPLAYS.items():
        expected = checks.of_fio(name, lambda log=log, options=options: replay(compare.FIO, log, options))
        checks.equal(name, replay(compare.fio_link(), log, options), expected)
    checks.done()


if __name__ == "__main__":
    main()

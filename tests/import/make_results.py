#!/usr/bin/python3
"""Makes corpus_result_json/N_*.json: results of schema N, by the program of the commit that introduced it. To make those of the oldest schema
that is read anew:

    git worktree add --detach OLD f020ce7   (14)
    cd OLD && cmake --preset release && ninja -C build fathom
    tests/import/make_results.py N OLD/build/fathom

What says on which machine that was is replaced, and lines are joined (the old writers put each key on its own); nothing else is changed.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent / "corpus_result_json"
WIDTH = 150
JOBS = """[global]
ioengine=null
size=64k
group_reporting=1
[a]
rw=randrw
numjobs=2
description=two
bs=4k,8k
[b]
rw=write
new_group
bsrange=4k-8k
"""
# name -> words.
CASES = {
    "sim": "run --name=a --ioengine=sim --rw=randrw --size=64k --iodepth=4 --output-format=json",
    "plus": "run --name=a --ioengine=sim --rw=read --size=64k --rate_iops=20000 --output-format=json+",
    "jobs": "run jobs.fio --output-format=json",
    "repeat": "run --repeat=2 --name=a --ioengine=sim --rw=read --size=32k --rate_iops=20000 --output-format=json",
    "file": "run --name=a --rw=randwrite --size=64k --fsync=4 --filename=f --output-format=json",
    "queue": "run --name=a --ioengine=nvme --filename=soft --rw=randread --size=64k --iodepth=4 --output-format=json",
    "paging": "paging --map=4M --set=1M --accesses=500 --swap=none --output-format=json",
}
MASKED = {"hostname": "host", "kernel": "6.1.0", "cpu_model": "a CPU", "distribution": "a distribution", "file_system": "ext4", "mount_point": "/data",
          "mount_options": "rw", "serial": "S1", "disk": "vda", "who": "not known"}


def masked(text, folder):
    for key, value in MASKED.items():
        text = re.sub(rf'"{key}" : "[^"]+"', f'"{key}" : "{value}"', text)
    return text.replace(folder, "/data")


def folded(text):
    lines = [""]
    for line in text.split("\n"):
        line = line.strip()
        if lines[-1] and len(lines[-1]) + 1 + len(line) <= WIDTH:
            lines[-1] += " " + line
        else:
            lines.append(line)
    return "\n".join(lines).strip() + "\n"


def main():
    schema, program = int(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    for name, words in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "jobs.fio").write_text(JOBS)
            run = subprocess.run([program, *words.split()], cwd=folder, capture_output=True, text=True, timeout=120)
            begin, end = run.stdout.find("{\n"), run.stdout.rfind("\n}") + 2
            if run.returncode != 0 or begin < 0:
                print(f"{schema} {name}: exit {run.returncode}: {run.stderr[:300]}")
                continue
            text = folded(masked(run.stdout[begin:end], folder))
        HERE.mkdir(exist_ok=True)
        (HERE / f"{schema}_{name}.json").write_text(text)
        print(f"{schema} {name}: {len(text)} bytes, {text.count(chr(10))} lines")


if __name__ == "__main__":
    main()

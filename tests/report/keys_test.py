#!/usr/bin/python3
# cost: 9
# timeout: 600
"""The same jobs through Debian's fio and through fathom: every key that fio's JSON has, ours has, with the same type."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
from json_keys import document_in, key_paths

FIO = "/usr/bin/fio"
FATHOM = os.environ.get("FATHOM", "")

GROUPS = """[global]
ioengine=null
size=1m
group_reporting=1
[a]
rw=randrw
numjobs=3
description=three
[b]
rw=write
new_group
"""

# name -> arguments; {dir} is an empty folder on a real file system, {groups} the job file above.
JOBS = {
    "null randrw": "--name=t --ioengine=null --rw=randrw --size=1m",
    "file with fsync": "--name=t --directory={dir} --rw=randrw --size=1m --fsync=8",
    "libaio, all percentiles": "--name=t --directory={dir} --ioengine=libaio --iodepth=4 --direct=1 --rw=randwrite --size=1m "
                               "--lat_percentiles=1 --slat_percentiles=1",
    "groups": "{groups}",
    "percentile list": "--name=t --ioengine=null --rw=read --size=1m --percentile_list=50:99:99.999",
    "no latencies": "--name=t --ioengine=null --rw=read --size=1m --gtod_reduce=1",
    "sampled": "--name=t --ioengine=null --rw=read --size=1g --time_based --runtime=1.2",
}


def report(program, arguments, output_format, folder):
    # fathom goes by fio's name only when it is called so; a first option puts it into fio mode as well.
    words = arguments.format(dir=folder, groups=os.path.join(folder, "groups.fio")).split()
    run = subprocess.run([program, *words, "--output-format=" + output_format], capture_output=True, text=True, timeout=60,
                         cwd=folder)
    if run.returncode != 0 or run.stderr:
        raise RuntimeError(f"{program} {arguments}: exit {run.returncode}, stderr {run.stderr[:500]!r}")
    return document_in(run.stdout)


def compare(name, arguments, output_format):
    documents = {}
    for program in (FIO, FATHOM):
        with tempfile.TemporaryDirectory(dir=os.environ.get("FATHOM_BUILD", "/var/tmp")) as folder:
            with open(os.path.join(folder, "groups.fio"), "w") as job_file:
                job_file.write(GROUPS)
            documents[program] = report(program, arguments, output_format, folder)
    theirs, ours = key_paths(documents[FIO]), dict(key_paths(documents[FATHOM]))
    wrong = []
    for path, kind in theirs:
        if path not in ours:
            wrong.append(f"{path} is missing")
        elif ours[path] != kind:
            wrong.append(f"{path} is {ours[path]}, fio has {kind}")
    order = [path for path in ours if path in dict(theirs)]
    if order != [path for path, _ in theirs if path in ours]:
        wrong.append("keys stand in another order")
    for problem in wrong:
        print(f"FAIL {name} ({output_format}): {problem}")
    print(f"{name} ({output_format}): {len(theirs)} keys of fio's compared, {len(wrong)} wrong")
    return not wrong


def main():
    if not os.path.exists(FIO):
        print("skipped: no /usr/bin/fio to compare with (scripts/setup --test installs it)")
        return 77
    if not os.path.exists(FATHOM):
        print("skipped: the program is not built")
        return 77
    results = [compare(name, arguments, kind) for name, arguments in JOBS.items() for kind in ("json", "json+")]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())

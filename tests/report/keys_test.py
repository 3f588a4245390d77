#!/usr/bin/python3
# label: test
# cost: 3
# timeout: 600
"""The same jobs through Debian's fio and through fathom: every key that fio's JSON has, ours has, with the same type. fio's keys are recorded."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "reference")]
import recorded  # noqa: E402
from json_keys import document_in, flat, key_paths, nest  # noqa: E402

FIO = recorded.FIO
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
    "sampled": "--name=t --ioengine=null --rw=read --size=1g --time_based --runtime=700ms",
}

RECORDED_PLUS = ("null randrw", "libaio, all percentiles")  # whose json+ is recorded; of the others it is compared where fio runs


def report(program, arguments, output_format, folder):
    # fathom goes by fio's name only when it is called so; a first option puts it into fio mode as well.
    words = arguments.format(dir=folder, groups=os.path.join(folder, "groups.fio")).split()
    run = subprocess.run([program, *words, "--output-format=" + output_format], capture_output=True, text=True, timeout=60,
                         cwd=folder)
    if run.returncode != 0 or run.stderr:
        raise RuntimeError(f"{program} {arguments}: exit {run.returncode}, stderr {run.stderr[:500]!r}")
    return document_in(run.stdout)


def keys(program, arguments, output_format):
    with tempfile.TemporaryDirectory(dir=os.environ.get("FATHOM_BUILD", "/var/tmp")) as folder:
        with open(os.path.join(folder, "groups.fio"), "w") as job_file:
            job_file.write(GROUPS)
        return key_paths(report(program, arguments, output_format, folder))


def everywhere(pairs):
    """Without the keys of disks: which there are is the machine's. fio's are compared where fio runs."""
    return [(path, kind) for path, kind in pairs if not path.startswith("disk_util")]


def of_fio(name, arguments, output_format):
    asked = keys(FIO, arguments, output_format) if recorded.LIVE else []
    if output_format == "json+" and name not in RECORDED_PLUS:
        return asked
    answer = recorded.answer(f"{name} ({output_format})", lambda: nest(everywhere(asked)))
    return asked or flat(answer)


def compare(name, arguments, output_format):
    theirs = of_fio(name, arguments, output_format)
    ours = dict(keys(FATHOM, arguments, output_format))
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
    if recorded.LIVE and not os.path.exists(FIO):
        print(f"skipped: no {FIO} to compare with (scripts/setup --test installs it)")
        return 77
    if not os.path.exists(FATHOM):
        print("skipped: the program is not built")
        return 77
    results = [compare(name, arguments, kind) for name, arguments in JOBS.items() for kind in ("json", "json+")
               if recorded.LIVE or kind == "json" or name in RECORDED_PLUS]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())

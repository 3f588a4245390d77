# label: slow
# timeout: 300
"""Terse lines and streams of JSON, both programs on the same job: as many lines and fields, each of the same type (whole, fraction, share, percentile,
word), the same counts; of --status-interval's documents the same keys and types. And the forms in which exporters call fio."""
import json
import re
import sys

import compare

FILE = ["--name=a", "--filename=f", "--size=1m", "--rw=randrw", "--randrepeat=1"]
NULL = ["--name=a", "--ioengine=null", "--size=1m", "--rw=rw"]
TIMED = ["--time_based", "--runtime=1100ms", "--rate_iops=500,500"]
RUNS = [
    ("null", NULL), ("a file", FILE), ("described", [*NULL, "--description=some words"]), ("two jobs", [*NULL, "--name=b", "--stonewall", *FILE[1:]]),
    ("a group", ["--group_reporting", "--numjobs=2", *NULL]), ("one direction", ["--unified_rw_reporting=mixed", *NULL]),
    ("each and all", ["--unified_rw_reporting=both", *NULL]), ("lat", ["--lat_percentiles=1", *NULL]), ("no percentiles", ["--clat_percentiles=0", *NULL]),
    ("own list", ["--percentile_list=50:99", *NULL]), ("direct", ["--direct=1", "--ioengine=libaio", "--iodepth=4", *FILE]),
    ("timed", [*NULL, *TIMED, "--rw=read"]), ("no stats", [*NULL, "--name=b", "--stats=0", *NULL[1:]]),
    ("no disk", ["--disk_util=0", *FILE]),
]
# Exact in both: name, group, error, and the KiB of reads and writes together (or of all, where that is one block).
HEAD = {2: 1, 3: 2, 4: 2, 5: 2}


def kind(field):
    if re.fullmatch(r"\d+", field):
        return "d"
    if re.fullmatch(r"\d+\.\d+", field):
        return "f"
    if re.fullmatch(r"[\d.]+%", field):
        return "%"
    if re.fullmatch(r"[\d.]+%=\d+", field):
        return field.partition("=")[0]
    return "w"


def exact_fields(line, version):
    at, block = HEAD[version], 47 if version == 5 else 41
    writes = at + 3 + block
    several = len(line) > writes and line[writes].isdigit() and len(line) > 100
    return line[at:at + 3] + [int(line[at + 3]) + (int(line[writes]) if several else 0)]


def terse(program, words, cwd):
    done = compare.execute([program, *words], cwd)
    assert done.rc == 0, (done.stderr, program, words, done)
    if program == compare.FIO:  # which has been seen to write there beside busy neighbours, and end well
        print(done.stderr, end="")
    else:
        assert done.stderr == "", (done.stderr, words)
    return [line.split(";") for line in done.stdout.splitlines() if ";" in line]


def documents(text):
    decoder, at, found = json.JSONDecoder(), 0, []
    text = text[text.find("{"):]
    while at < len(text.rstrip()):
        value, at = decoder.raw_decode(text, at)
        found.append(value)
        at += len(text[at:]) - len(text[at:].lstrip())
    return found


def types(value, path=""):
    if isinstance(value, dict):
        return {entry for key, inner in value.items() if key != "fathom" for entry in types(inner, f"{path}.{key}")}
    if isinstance(value, list):
        return {entry for inner in value for entry in types(inner, path + "[]")}
    return {(path, type(value).__name__)}


NEWER = re.compile(r"job_start|latency_target_ns|latency_window_us|read_sectors|write_sectors|job options|\.percentile\.")


def main():
    compare.need(compare.FIO)
    failed = 0

    def check(ok, what):
        nonlocal failed
        failed += not ok
        print("ok  " if ok else "FAIL", what)

    ours = compare.fio_link()
    for name, job in RUNS:
        for version in (2, 3, 4, 5) if name in ("null", "two jobs") else (3,):
            words = ["--minimal", f"--terse-version={version}", *job]
            with compare.workspace() as one, compare.workspace() as other:
                theirs, own = terse(compare.FIO, words, one), terse(ours, words, other)
            if name == "no stats":
                theirs = [line for line in theirs if line[3] != "-1"]  # fio writes a line of nothing for the job that it leaves out
            kinds = [[[kind(field) for field in line] for line in lines] for lines in (theirs, own)]
            same = kinds[0] == kinds[1]
            check(same, f"{name}, version {version}: {[len(line) for line in own]} fields, of fio's types" + ("" if same else f"\n{theirs}\n{own}"))
            counted = 3 if "--time_based" in job else 4  # what a run of a time moves is no count
            exact = [[exact_fields(line, version)[:counted] for line in lines] for lines in (theirs, own)]
            check(exact[0] == exact[1], f"{name}, version {version}: {exact[1]}" + ("" if exact[0] == exact[1] else f", fio {exact[0]}"))
    with compare.workspace() as cwd:
        stream = ["--status-interval=400ms", "--output-format=json", "--lat_percentiles=1", "--clat_percentiles=1", *NULL, *TIMED]
        theirs, own = (documents(compare.execute([program, *stream], cwd).stdout) for program in (compare.FIO, ours))
        check(3 <= len(own) <= 4 and abs(len(theirs) - len(own)) <= 1, f"yafio_exporter: {len(own)} documents in a stream, fio {len(theirs)}")
        lacking = {entry for entry in types(theirs[0]) - types(own[0]) if not NEWER.search(entry[0])}
        check(not lacking, f"of fio's keys and types {sorted(lacking)} are missing in mid-run")
        check("99.000000" in own[0]["jobs"][0]["read"]["clat_ns"]["percentile"], "yafio_exporter: percentiles by %f")
        words = ["--group_reporting", "--status-interval=400ms", "--output-format=terse", "--terse-version=3", *NULL, *TIMED]
        theirs, own = terse(compare.FIO, words, cwd), terse(ours, words, cwd)
        check({tuple(line[:1] + line[2:5]) for line in own} == {tuple(line[:1] + line[2:5]) for line in theirs} and {len(line) for line in own} == {121},
              f"fio_exporter: {len(own)} lines of 121 fields")
        text = compare.execute([ours, "--output-format=json,normal", "--status-interval=400ms", *NULL, *TIMED], cwd).stdout
        begin, end = text.find("\n{\n"), text.find("\n}\n")
        check(json.loads(text[begin:end + 2])["jobs"][0]["jobname"] == "a", "cbt: the document stands between lines that are a brace")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

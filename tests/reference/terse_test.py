# label: test
# timeout: 300
# cost: 4
"""Terse lines and streams of JSON, both programs on the same job: as many lines and fields, each of the same type (whole, fraction, share, percentile,
word), the same counts; of --status-interval's documents the same keys and types. And the forms in which exporters call fio.
fio's side is recorded: of each line the types of its fields and the counts; of a document the paths and types of its keys."""
import itertools
import json
import re

import compare
import recorded

WITH_DISKS = ["--name=a", "--filename=f", "--size=1m", "--rw=randrw", "--randrepeat=1"]
FILE = [*WITH_DISKS, "--disk_util=0"]  # which disks there are is the machine's
NULL = ["--name=a", "--ioengine=null", "--size=1m", "--rw=rw"]
TIMED = ["--time_based", "--runtime=900ms", "--rate_iops=500,500"]
RUNS = [
    ("null", NULL), ("a file", FILE), ("described", [*NULL, "--description=some words"]), ("two jobs", [*NULL, "--name=b", "--stonewall", *FILE[1:]]),
    ("a group", ["--group_reporting", "--numjobs=2", *NULL]), ("one direction", ["--unified_rw_reporting=mixed", *NULL]),
    ("each and all", ["--unified_rw_reporting=both", *NULL]), ("lat", ["--lat_percentiles=1", *NULL]), ("no percentiles", ["--clat_percentiles=0", *NULL]),
    ("own list", ["--percentile_list=50:99", *NULL]), ("direct", ["--direct=1", "--ioengine=libaio", "--iodepth=4", *FILE]),
    ("timed", [*NULL, *TIMED, "--rw=read"]), ("no stats", [*NULL, "--name=b", "--stats=0", *NULL[1:]]),
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


def terse(program, words):
    """(lines as lists of fields, standard error)"""
    with compare.workspace() as cwd:
        done = compare.execute([program, *words], cwd)
    assert done.rc == 0, (done.stderr, program, words, done)
    return [line.split(";") for line in done.stdout.splitlines() if ";" in line], done.stderr


def folded(kinds):
    """The types of a line's fields in short: `d*3` are three whole numbers in a row."""
    return " ".join(f"{kind}*{n}" if (n := len(list(same))) > 1 else kind for kind, same in itertools.groupby(kinds))


def facts(lines, version, counted):
    lines = [line for line in lines if line[3] != "-1"]  # fio writes a line of nothing for a job with stats=0, and fathom writes none
    return [[folded(map(kind, line)), *exact_fields(line, version)[:counted]] for line in lines]


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


def compare_lines(checks, name, job, version):
    words = ["--minimal", f"--terse-version={version}", *job]
    counted = 3 if "--time_based" in job else 4  # what a run of a time moves is no count
    theirs, own, (_, said) = checks.beside_fio(f"{name}, version {version}", lambda program: terse(program, words),
                                               lambda found: facts(found[0], version, counted))
    checks.equal(f"{name}, version {version}", own, theirs)
    checks.equal(f"{name}, version {version}: standard error", said, "")


def compare_disks(checks):
    """Not recorded: the fields of disks behind all others, the same in both on one machine."""
    theirs, own = compare.on_both(lambda program: facts(terse(program, ["--minimal", *WITH_DISKS])[0], 3, 4))
    checks.equal("disks", own, theirs)


def exporters(checks):
    """What programs read while a run goes on."""
    stream = ["--status-interval=400ms", "--output-format=json", "--lat_percentiles=1", "--clat_percentiles=1", *NULL, *TIMED]

    def some_documents(program):
        with compare.workspace() as cwd:
            return documents(compare.execute([program, *stream], cwd).stdout)

    def keys(found):
        return sorted(f"{path} {kind}" for path, kind in types(found[0]) if not NEWER.search(path))

    theirs, own, ours = checks.beside_fio("a document of --status-interval", some_documents, keys)
    checks.check(f"yafio_exporter: {len(ours)} documents in a stream", 2 <= len(ours) <= 4)
    checks.equal("of fio's keys and types are missing in mid-run", sorted(set(theirs) - set(own)), [])
    checks.check("yafio_exporter: percentiles by %f", "99.000000" in ours[0]["jobs"][0]["read"]["clat_ns"]["percentile"])
    words = ["--group_reporting", "--status-interval=400ms", "--output-format=terse", "--terse-version=3", *NULL, *TIMED]
    theirs, own, (lines, _) = checks.beside_fio("lines of --status-interval", lambda program: terse(program, words),
                                                lambda found: sorted({tuple(line[:1] + line[2:5]) for line in found[0]}))
    checks.equal("fio_exporter: heads of lines", own, theirs)
    checks.equal("fio_exporter: fields of each line", {len(line) for line in lines}, {121})
    with compare.workspace() as cwd:
        text = compare.execute([compare.fio_link(), "--output-format=json,normal", "--status-interval=400ms", *NULL, *TIMED], cwd).stdout
    begin, end = text.find("\n{\n"), text.find("\n}\n")
    checks.equal("cbt: the document stands between lines that are a brace", json.loads(text[begin:end + 2])["jobs"][0]["jobname"], "a")


def main():
    compare.need_fio()
    checks = compare.Checks()
    for name, job in RUNS:
        for version in (2, 3, 4, 5) if name in ("null", "two jobs") else (3,):
            if checks.wanted(name):
                compare_lines(checks, name, job, version)
    if recorded.LIVE and checks.wanted("disks"):
        compare_disks(checks)
    if checks.wanted("exporters"):
        exporters(checks)
    checks.done()


main()

#!/usr/bin/python3
# timeout: 400
"""docs/schema/result.schema.json against the golden documents (every part of a result that tests can make by hand) and what the program writes;
result.14.schema.json against files of that schema; and both against damaged documents, so that they are known to refuse."""
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
import documents
from json_keys import document_in

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed (scripts/setup --test installs it)")
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMAS = os.path.join(HERE, "..", "..", "docs", "schema")
CORPUS = pathlib.Path(HERE, "..", "import", "corpus_result_json")
FATHOM = os.environ.get("FATHOM", "")

RUNS = [
    "run --name=t --ioengine=null --rw=randrw --size=1m",
    "run --name=t --directory={dir} --rw=randrw --size=1m --fsync=8 --direct=1",
    "run --name=t --ioengine=null --rw=read --size=1m --numjobs=3 --group_reporting --lat_percentiles=1",
    "run --name=t --ioengine=null --rw=write --size=256k --rate_iops=1000 --unified_rw_reporting=0",
    "run --repeat=3 --name=t --ioengine=null --rw=randread --size=1m",
    "run --repeat=2 --name=t --ioengine=null --rw=randread --size=1m",
    "--name=t --ioengine=null --size=64k",
    "nvme perf --device=soft:ideal --device=soft --number_ios=1000 --iodepth=16 --clock-check=skip",
    "nvme perf --numjobs=2 --rw=randrw --number_ios=500 --iodepth=4 --clock-check=skip",
]


MOST_PATHS = 1000  # field paths that Elasticsearch takes in an index by default


def field_paths(value, at=""):
    if isinstance(value, dict):
        return {path for key, one in value.items() for path in field_paths(one, f"{at}.{key}")}
    if isinstance(value, list):
        return {path for one in value for path in field_paths(one, at)}
    return {at}


def problems(validator, document):
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}" for error in validator.iter_errors(document)]


def check(validator, name, document):
    found = problems(validator, document)
    for job in (document.get("fathom") or {}).get("jobs") or []:
        if len(field_paths(job)) >= MOST_PATHS:
            found.append(f"a job has {len(field_paths(job))} field paths")
    for problem in found[:20]:
        print(f"FAIL {name}: {problem}")
    print(f"{name}: {'ok' if not found else str(len(found)) + ' problems'}")
    return not found


def check_damage(validator, good):
    """Each change breaks one rule of the schema; all must be found."""
    def remove(document, *path):
        at = document
        for step in path[:-1]:
            at = at[step]
        del at[path[-1]]

    def put(document, value, *path):
        at = document
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = value

    changes = {
        "no fathom key": lambda d: remove(d, "fathom"),
        "unknown key": lambda d: put(d, 1, "fathom", "surprise"),
        "float for int": lambda d: put(d, 1.5, "jobs", 0, "read", "bw"),
        "no trim": lambda d: remove(d, "jobs", 0, "trim"),
        "label set": lambda d: remove(d, "jobs", 0, "latency_ms", ">=2000"),
        "other version": lambda d: put(d, 0, "fathom", "schema_version"),
        "percentile key": lambda d: put(d, 1, "jobs", 0, "read", "clat_ns", "percentile", "50"),
        "severity": lambda d: put(d, [{"id": "", "severity": "bad", "job": "", "evidence": "", "remedy": "", "values": []}], "fathom", "findings"),
    }
    ok = True
    for name, change in changes.items():
        damaged = copy.deepcopy(good)
        change(damaged)
        if not problems(validator, damaged):
            print(f"FAIL the schema accepts a document with: {name}")
            ok = False
    return ok


def check_program(validator):
    """True, and a document to damage."""
    ok, good = True, None
    for arguments in RUNS:
        for output_format in ("json", "json+"):
            with tempfile.TemporaryDirectory(dir=os.environ.get("FATHOM_BUILD", "/var/tmp")) as folder:
                command = [FATHOM, *arguments.format(dir=folder).split(), "--output-format=" + output_format]
                run = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=folder)
            if run.returncode != 0:
                print(f"FAIL {' '.join(command)}: exit {run.returncode}: {run.stderr[:500]}")
                ok = False
                continue
            document = document_in(run.stdout)
            good = good or document
            ok = check(validator, f"{arguments} ({output_format})", document) and ok
    return ok, good


def validator_of(name):
    with open(os.path.join(SCHEMAS, name)) as schema_file:
        schema = json.load(schema_file)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def main():
    newest, oldest = validator_of("result.schema.json"), validator_of("result.14.schema.json")
    goldens = sorted(documents.folder().glob("*.json"))
    if not goldens:
        print("FAIL no golden documents")
        return 1
    ok = True
    for validator, paths in ((newest, goldens), (oldest, sorted(CORPUS.glob("14_*.json")))):
        for path in paths:
            ok = check(validator, path.name, json.loads(path.read_text())) and ok
    ok = check_damage(newest, json.loads((documents.folder() / "simple.json").read_text())) and ok
    ok = check_damage(oldest, json.loads((CORPUS / "14_sim.json").read_text())) and ok
    if not os.path.exists(FATHOM):
        print("the program is not built: only the golden documents were checked")
        return 77 if ok else 1
    right, good = check_program(newest)
    ok = right and ok
    ok = good is not None and check_damage(newest, good) and ok
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())

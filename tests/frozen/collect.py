"""What fathom has now of each thing that others rely on: kind -> {owner: names}. Taken from the program where it can be asked, else from the
sources."""
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET
import zipfile

FATHOM = os.environ["FATHOM"]
SOURCE = pathlib.Path(os.environ["FATHOM_SOURCE"])
sys.path[:0] = [str(SOURCE / "tests" / "pmu_cli"), str(SOURCE / "tests" / "report")]
import documents  # noqa: E402
import recorded  # noqa: E402

# `fathom ACTION --help` of every one, and where it lies in the list of its parent
ACTIONS = {"run": "", "clock": "test sources", "nvme": "list identify log setup bind unbind perf serve", "paging": "run breakdown learn cleanup",
           "pmu": "list stat", "doctor": "", "report": "", "compare": "", "sweep": "",
           "history": "list show add tag compare check delete", "trace": "convert summary to-job", "bundle": "", "verify-bundle": "", "rerun": ""}


@functools.lru_cache(None)
def ask(*words, program="fathom", stderr=False):
    """What it prints; its name is the one that it is called by."""
    with tempfile.TemporaryDirectory(prefix="fathom-frozen-") as folder:
        path = os.path.join(folder, program)
        os.symlink(FATHOM, path)
        done = subprocess.run([path, *words], capture_output=True, text=True, timeout=60, cwd=folder, env={**os.environ, "LANG": "C"})
    return done.stderr if stderr else done.stdout


def sources(*rooms):
    for room in rooms or [""]:
        for path in sorted((SOURCE / "src" / room).rglob("*")):
            if path.suffix in (".cc", ".h"):
                yield path.read_text()


def findings():
    tables = "".join(path.read_text() for path in sorted((SOURCE / "src/result/findings").glob("rows*.inc")))
    return grouped(word.split(".", 1) for word in re.findall(r'^FINDING\("([^"]+)"', tables, re.M))


def grouped(pairs):
    found = {}
    for owner, name in pairs:
        found.setdefault(owner, set()).add(name)
    return found


def options():
    """Job options and their aliases. What is not built is fio's name and no promise."""
    table = re.findall(r"^\| `([a-z][\w-]*)` \| ([\w, -]*)\|[^|]*\|[^|]*\|[^|]*\|$", ask("help", "compat"), re.M)
    aliases = {f"alias of {name}": set(filter(None, re.split(r"[ ,]+", others))) for name, others in table}
    return {"option": {name for name, _ in table}, **{owner: names for owner, names in aliases.items() if names}}


def flags_in(text):
    """Of a help text: in its usage, and those that begin a line."""
    usage = re.match(r"usage: .*(?:\n  +\S.*)*", text)
    begun = re.findall(r"^ +(--?[\w?][\w-]*)(?:[=\[\w ]*, (--[\w-]+))?", text, re.M)
    return {word for pair in begun for word in pair if word} | set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", usage[0] if usage else ""))


def flags():
    """The options of every command that are no job options, as its help shows them, and those of run that its table names alone."""
    found = {}
    for command, actions in ACTIONS.items():
        for action in ["", *actions.split()]:
            found[f"{command} {action}".strip()] = flags_in(ask(*command.split(), *action.split(), "--help"))
    found["run"] |= set(re.findall(r"^\| `(--[\w-]+)` \|", ask("help", "compat"), re.M))
    found["pmbench"], found["spdk_nvme_perf"] = (flags_in(ask("--help", program=program)) for program in ("pmbench", "spdk_nvme_perf"))
    return {owner: names for owner, names in found.items() if names}


def subcommands():
    found = {"fathom": set(re.findall(r"^  ([\w-]+) {2,}", ask("help"), re.M)), "doors": set(re.findall(r'base == "(\w+)"', "".join(sources("cli"))))}
    for command in ("clock", "history", "nvme", "paging", "pmu", "trace"):
        text = ask(command, "--help")
        found[command] = {word for word in re.findall(r"^  ([a-z][a-z-]*) +\S", text, re.M) if word in ACTIONS[command].split() or command != "paging"}
    found["help"] = set(re.findall(r'^ +\{"([\w-]+)", ', (SOURCE / "src/cli/help.cc").read_text(), re.M))
    return found


def exits():
    return grouped((status, name) for name, status in re.findall(r"^  (k\w+) = (\d+),", (SOURCE / "src/cli/exit_codes.h").read_text(), re.M))


def environment():
    names = {name for text in sources() for name in re.findall(r'\bgetenv\("(\w+)"\)', text)}
    return {"read": names}


def journal():
    table = re.search(r"kActions\[\] = \{(.*?)\n\};", (SOURCE / "src/paging/pressure/state/journal.cc").read_text(), re.S)[1]
    return {word: {f"{len(re.findall(r'is_', shapes))} fields"} for word, shapes in re.findall(r'\{Action::\w+, "([\w-]+)", \{([^}]*)\}', table)}


def schema_paths(schema, node, path, depth=0):
    """Every key that a result may have; what is once a direction stands once, and repetitions repeat what the run has."""
    if "$ref" in node:
        node = schema["definitions"][node["$ref"].split("/")[-1]]
    if depth > 14 or path.startswith(("fathom.repetitions[]", "fathom.group_members[]")):
        return
    for other in ("anyOf", "oneOf", "allOf"):
        for part in node.get(other, []):
            yield from schema_paths(schema, part, path, depth)
    for key, below in node.get("properties", {}).items():
        named = {"$ref", "allOf", "items"} & set(below)  # more than a number
        key = "DIRECTION" if key in ("read", "write", "trim", "mixed") and named else key
        yield path, key
        yield from schema_paths(schema, below, f"{path}.{key}".lstrip("."), depth + 1)
    for below in [*node.get("patternProperties", {}).values(), node.get("additionalProperties")]:
        if isinstance(below, dict):
            yield from schema_paths(schema, below, f"{path}.*", depth + 1)
    if isinstance(node.get("items"), dict):
        yield from schema_paths(schema, node["items"], f"{path}[]", depth + 1)


def result_keys():
    """Of run and paging: docs/schema/result.schema.json, which refuses what it does not name (tests/report/schema_test.py)."""
    schema = json.loads((SOURCE / "docs/schema/result.schema.json").read_text())
    return grouped((owner or "document", key) for owner, key in schema_paths(schema, schema, ""))


def keys_of(document, path):
    if isinstance(document, dict):
        for key, value in document.items():
            key = "*" if key.isdigit() else key
            yield path, key
            yield from keys_of(value, f"{path}.{key}")
    elif isinstance(document, list):
        for value in document:
            yield from keys_of(value, f"{path}[]")


def history_of(folder):
    """A history in which a series changed."""
    document = json.loads(ask("run", "--name=t", "--ioengine=null", "--size=4m", "--audit=off", "--clock-check=skip", "--output-format=json"))
    result, files = document["fathom"], []
    read = result["jobs"][0]["read"]
    for i in range(16):
        result["run_id"], result["time_epoch_ms"], result["host"]["kernel"] = f"run-{i}", 1000 + i, str(i // 8)
        read["begin_ns"], read["runtime_ns"] = 0, 10_000_000 + 5_000_000 * (i // 8) + i % 3
        read["end_ns"] = read["runtime_ns"]
        files.append(os.path.join(folder, f"{i}.json"))
        pathlib.Path(files[-1]).write_text(json.dumps(document))
    ask("history", "add", f"--history={folder}/history.db", *files)
    return f"--history={folder}/history.db"


def checked_bundle(folder):
    """Of a bundle with a member that its manifest does not list."""
    result, file = os.path.join(folder, "result.json"), os.path.join(folder, "b.zip")
    ask("run", "--name=t", "--ioengine=null", "--size=64k", "--audit=off", "--output-format=json", f"--output={result}")
    ask("bundle", result, "-o", file)
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("evidence/x", "x")
    return ask("verify-bundle", "--output-format=json", file)


def tool_keys():
    """Of the commands whose JSON is their own."""
    with tempfile.TemporaryDirectory(prefix="fathom-frozen-") as folder:
        recorded.article_server(folder)
        history = history_of(folder)
        texts = {"doctor": ask("doctor", "--json"), "clock sources": ask("clock", "sources", "--json"),
                 "clock test": ask("clock", "test", "--entries=1000", "--json"), "nvme list": ask("nvme", "list", "--json"),
                 "history list": ask("history", "list", history, "--output-format=json"),
                 "history check": ask("history", "check", history, "--output-format=json"),
                 "pmu list": ask("pmu", "list", f"--root={folder}", "--output-format=json", "-v"),
                 "pmu list device": ask("pmu", "list", f"--root={folder}", "--output-format=json", "--device=/dev/md0"),
                 "pmu list events": ask("pmu", "list", f"--root={folder}", "--output-format=json", "pcie_bdf_200/Rx*"),
                 "pmu stat": ask("pmu", "stat", "--output-format=json", "-o-", "-r3", "-e", "page-faults,task-clock", "true"),
                 "pmu stat cpus": ask("pmu", "stat", "--output-format=json", "-o-", "-C0", "--per-core", "-e", "page-faults", "true") or "{}",
                 "pmu stat perf": ask("pmu", "stat", "-j", "-o-", "-r3", "-e", "page-faults", "true"),
                 "pmu stat interval": ask("pmu", "stat", "--output-format=json", "-o-", "-I10", "-e", "page-faults", "sleep", "0.02").split("\n")[0],
                 "verify-bundle": checked_bundle(folder),
                 "nvme identify": ask("nvme", "identify", "--device=soft", "--json"),
                 "nvme identify namespace": ask("nvme", "identify", "--device=soft/ns=1", "--json"),
                 **{f"nvme log {page}": ask("nvme", "log", page, "--device=soft", "--json") for page in ("error", "smart", "firmware", "changed-ns")}}
    return grouped(pair for command, text in texts.items() for pair in keys_of(json.loads(text), command))


def csv_columns():
    paging = ask("paging", f"--import={SOURCE}/tests/import/data/linux.xml", "--output-format=csv").split("\n")
    pmu, slots, interval = (ask("pmu", "stat", "--output-format=csv", "-o-", *more, "-e", "page-faults", "true").split("\n")[0]
                            for more in ([], ["--slots"], ["-I10"]))
    rows = ask("run", "--name=t", "--ioengine=null", "--size=64k", "--audit=off", "--output-format=rows-csv").split("\n")[0]
    heads = {"run rows": rows, "paging machine": paging[0], "paging threads": paging[3].partition(",")[2], "pmu stat": pmu, "pmu stat slots": slots, "pmu stat interval": interval}
    labels = {line.split(",")[0] for line in paging if re.match(r"[A-Z][^\d]*(?:,|$)", line)} - {paging[0].split(",")[0]}
    return {**{owner: set(line.split(",")) for owner, line in heads.items()}, "paging sections": labels}


def xml_names():
    """Elements with their attributes; @x is the attribute x."""
    made = documents.made()
    if not made:
        raise unittest.SkipTest(f"{documents.PROGRAM} is not built, which makes the whole of our XML")
    files = [*(SOURCE / "tests/import/data").glob("*.xml"), *made.glob("*.xml")]
    texts = [ask("paging", f"--import={path}", "--output-format=xml") for path in files]
    texts.append(ask("paging", "--map=4M", "--set=2M", "--accesses=2000", "--swap=none", "--output-format=xml"))
    found = {}
    for text in texts:
        for element in ET.fromstring(text).iter():
            found.setdefault(element.tag, set()).update([*(f"@{name}" for name in element.attrib), *(child.tag for child in element)])
    return {name: parts for name, parts in found.items() if parts}


KINDS = {"findings": findings, "options": options, "flags": flags, "subcommands": subcommands, "exit_statuses": exits, "environment": environment,
         "journal": journal, "json_result": result_keys, "json_tools": tool_keys, "csv": csv_columns, "xml": xml_names}

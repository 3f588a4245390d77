"""scripts/bench summary: Markdown from a raw result, so that the repository keeps a table of each benchmark and not its raw JSON.

The tables come from the shape of the result: numbers become a list of figures, a list of objects a table, a list of numbers "median (least to
largest)". A table of more than MOST_ROWS rows is reduced to such cells, one row for each value of its first column. If that table has more than
MOST_COLUMNS columns, its rows become columns. The functions in SPECIAL make
the tables of hotpath, nvme and agree."""
import json
import os
import re
import statistics
import time

import nvme_table

MOST_ROWS, MOST_COLUMNS = 30, 16
FACTS = ("suite", "machine", "programs", "load_after", "time", "fathom", "kernel", "cpus", "load", "command", "quick", "only", "exit_status", "sha256")
# What a summary omits: values of single rounds for which the result has a median, and how the programs were started.
OMITTED = ("both_did", "cpu_share", "options", "bare", "pairs", "write_and_read_s", "runs", "rounds", "failed_attempts", "shares", "values", "spread")
CENTERS, BOUNDS = ("median", "ratio", "mean"), (("lowest", "highest"), ("low", "high"), ("ci95_low", "ci95_high"))
VERDICTS = {"missed": "**MISSED**", "MISSED": "**MISSED**", "met": "reached"}


def number(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        text = VERDICTS.get(value, value)
        return (text[:157] + "..." if len(text) > 160 else text).replace("|", "\\|").replace("\n", " ")
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def span(center, low, high):
    return number(center) if low == high else f"{number(center)} ({number(low)} to {number(high)})"


def several(values):
    """One cell for a list."""
    values = [v for v in values if v is not None]
    if values and all(is_number(v) for v in values):
        return "; ".join(map(number, values)) if len(values) < 3 else span(statistics.median(values), min(values), max(values))
    words = [number(v) if not isinstance(v, (dict, list)) else json.dumps(v) for v in values]
    if all(word.startswith("--") for word in words):
        return " ".join(words)
    if len(set(words)) < len(words):
        return ", ".join(f"{words.count(word)} × {word}" for word in dict.fromkeys(words))
    return "; ".join(words)


def one_cell(value):
    """The cell of an object that is one figure with its bounds; None for any other object."""
    center = next((key for key in CENTERS if key in value), None)
    bounds = next((pair for pair in BOUNDS if all(key in value for key in pair)), None)
    if not center or not bounds or not is_number(value[center]):
        return None
    target = f", ≥ {value['target']:g}: {number(value['verdict'])}" if value.get("target") is not None else ""
    return span(value[center], *(value[key] for key in bounds)) + target


def is_table(value):
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)


def flat(value, name=""):
    """{column: raw value}: nested objects get dotted names."""
    if "from" in value and "to" in value:
        value = {**value, "width": value["to"] - value["from"]}
    found = {}
    for key, inner in value.items():
        if key in OMITTED and (not is_number(inner)):
            continue
        column = f"{name}{key}"
        if isinstance(inner, dict) and not (cell := one_cell(inner)):
            found.update(flat(inner, f"{column}."))
        elif isinstance(inner, dict):
            found[column] = cell
        elif is_table(inner):
            for n, one in enumerate(inner):
                found.update(flat(one, f"{column}.{n}." if len(inner) > 1 else f"{column}."))
        else:
            found[column] = inner
    return found


def markdown(heads, rows):
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for cells in rows:
        yield f"| {' | '.join(cells)} |"
    yield ""


def grouped(rows):
    """One row for each value of the first column, where that has few values; else one row of all."""
    first = next(iter(rows[0]))
    kinds = list(dict.fromkeys(row.get(first) for row in rows)) if isinstance(rows[0][first], str) else [None]
    if len(kinds) > MOST_ROWS:
        kinds = [None]
    columns = list(dict.fromkeys(column for row in rows for column in row if kinds == [None] or column != first))
    for kind in kinds:
        chosen = [row for row in rows if kind is None or row.get(first) == kind]
        cells = {"rows": number(len(chosen)), **({} if kind is None else {first: kind})}
        for column in columns:
            values = [row[column] for row in chosen if column in row]
            same = values and all(isinstance(v, (str, bool)) for v in values)
            words = [number(v) for v in values] if same else []
            cells[column] = ", ".join(f"{words.count(w)} × {w}" for w in dict.fromkeys(words)) if same else several([v for v in values if is_number(v)])
        yield cells


def table(rows):
    rows = [flat(row) for row in rows]
    if len(rows) > MOST_ROWS:
        rows = list(grouped(rows))
    heads = [head for head in dict.fromkeys(column for row in rows for column in row) if any(row.get(head) not in (None, "", []) for row in rows)]
    cells = [[several(row[h]) if isinstance(row.get(h), list) else number(row[h]) if h in row else "–" for h in heads] for row in rows]
    heads = [head.replace("_", " ") for head in heads]
    if len(rows) == 1:
        return markdown(["figure", "value"], zip(heads, cells[0]))
    if len(heads) > MOST_COLUMNS:
        return markdown(["figure", *(row[1] for row in cells)], ([head, *(row[n] for row in cells)] for n, head in enumerate(heads) if n != 1))
    return markdown(heads, cells)


def headed(title, lines):
    title = title.replace("_", " ")
    return (f"## {title[0].upper()}{title[1:]}", "", *lines)


def tables(result):
    """All that is no fact about the machine: first the single figures, then a table for each list."""
    figures, more = {}, []
    for key, value in result.items():
        if key in FACTS or (key in OMITTED and not is_number(value)):
            continue
        special = SPECIAL.get(key, lambda _: None)(value)
        if special is not None:
            more += headed(key, special)
        elif is_table(value):
            more += headed(key, table(value))
        elif isinstance(value, dict) and value and all(is_table(inner) for inner in value.values()):
            more += headed(key, table([{"of": of, **row} for of, rows in value.items() for row in rows[:5 if key == "slowest" else None]]))
        elif isinstance(value, dict) and value and not one_cell(value):
            if all(isinstance(inner, dict) for inner in value.values()):
                more += headed(key, table([{"of": of, **inner} for of, inner in value.items()]))
                continue
            inner_tables = {inner: rows for inner, rows in value.items() if is_table(rows) and inner not in OMITTED}
            figures.update({f"{key}.{c}": v for c, v in flat({k: v for k, v in value.items() if k not in inner_tables and not is_table(v)}).items()})
            for inner, rows in inner_tables.items():
                more += headed(f"{key}: {inner}", table(rows))
        elif value not in ([], {}, None):
            figures[key] = value
    if figures:
        yield from headed("Figures", markdown(["figure", "value"], ([name.replace("_", " "), several(v) if isinstance(v, list) else number(v)]
                                                                    for name, v in figures.items() if v != [])))
    yield from more


def hotpath_rows(rows):
    """Programs in turns: rates with half the distance of the extreme rounds, and the ratios that have goals."""
    if not is_table(rows) or "over_fio" not in rows[0] and "of_bare" not in rows[0]:
        return None
    scale, unit = (1e6, "M/s") if "iops" in rows[0] else (2**20, "MiB/s")

    def rate(row, who):
        return f"{row['median'][who] / scale:.2f} {unit} ± {row['spread'][who] * 50:.0f} %" if who in row["median"] else "–"

    def ratio(row, key):
        found = row.get(key)
        if not found:
            return "–"
        decided = f", ≥ {found['target']:g}: {number(found['verdict'])}" if found["target"] is not None else ""
        return f"{found['ratio']:.3f} ({found['lowest']:.3f} to {found['highest']:.3f}){decided}"
    return markdown(["work", "fio", "fathom", "bare loop", "fathom / fio", "fathom / bare", "bare / fio"],
                    ([row["name"], *(rate(row, who) for who in ("fio", "fathom", "bare")), *(ratio(row, key) for key in ("over_fio", "of_bare", "bare_over_fio"))]
                     for row in rows))


def hotpath_rest(rows):
    if not is_table(rows) or "values" not in rows[0]:
        return None

    def side(row, who):
        return f"{span(row['median'][who], min(row['values'][who]), max(row['values'][who]))} {row['unit']}"

    def note(row):
        return f"; start jitter p99.99 {row['start_jitter_p9999_ns']['median'] / 1000:.3g} µs" if "start_jitter_p9999_ns" in row else ""
    return markdown(["other", "fio", "fathom", "goal", "verdict"],
                    ([row["name"], side(row, "fio"), side(row, "fathom"), f"{'≥' if row['unit'] == 'x' else '≤'} {row['target']:g} {row['unit']}",
                      number(row["verdict"]) + note(row)] for row in rows))


def agree_cases(cases):
    """fathom's median / fio's = ratio, verdict; and the ratio of fio to fio, which says whether the machine could tell."""
    if not is_table(cases) or "metrics" not in cases[0]:
        return None
    names = [one["metric"] for one in cases[0]["metrics"]]

    def cell(one):
        return f"{number(one['fathom_median'])} / {number(one['fio_median'])} = {one['ratio']:.3f}, {one['verdict']}; fio / fio {one['control_ratio']:.3f}"
    return markdown(["job", *names], ([case["name"], *(cell(one) for one in case["metrics"])] for case in cases))


SPECIAL = {"rows": hotpath_rows, "rest": hotpath_rest, "cases": agree_cases, "groups": lambda groups: nvme_table.text(groups) if is_table(groups) else None}


def command(result, name):
    if "command" in result:
        return result["command"]
    if "suite" in result and "rounds" in result:
        against = "hotpath --against=OLD" if result["suite"] == "hotpath-against" else result["suite"]
        return f"scripts/bench {against} --rounds={result['rounds']}" + " --quick" * result["quick"] + (f" --only='{result['only']}'" if result["only"] else "")
    return f"scripts/check {'state-kills' if name == 'soak-kills' else name.removeprefix('soak-')}"


def facts(result, name, written):
    """(fact, value) of the machine, the programs and the command."""
    machine, programs = result.get("machine", {}), result.get("programs", {})
    fathom = programs.get("fathom", result.get("fathom", ""))
    commit = re.search(r"commit ([0-9a-f]+(?:-dirty)?)", fathom)
    cpus, disk = machine.get("cpus", result.get("cpus")), machine.get("target")
    load = [number(round(v, 1)) for v in (machine.get("load_before", result.get("load")), result.get("load_after")) if v is not None]
    yield "command", f"`{command(result, name)}`"
    yield "date", machine.get("time") or result.get("time") or time.strftime("%Y-%m-%d (of the raw file)", time.gmtime(written))
    yield "commit", commit[1] if commit else ""
    yield "versions", ", ".join(text for text in (re.sub(r" \(.*", "", fathom), programs.get("fio")) if text)
    yield "CPU", ", ".join(text for text in (machine.get("cpu"), f"{cpus} CPUs" if cpus else "") if text)
    yield "kernel", machine.get("kernel", result.get("kernel", ""))
    yield "memory", f"{machine['memory_kib'] / 2**20:.1f} GiB" if machine else ""
    yield "clock source", machine.get("clock_source", "")
    yield "disk", f"{disk['folder']} on {disk['device']}, {disk['file_system']}, scheduler {disk['scheduler']}" if disk else ""
    yield "load average", " before, ".join(load) + (" after" if len(load) > 1 else "")


def text(result, name, written):
    yield f"# {name}"
    yield ""
    known = list(facts(result, name, written))
    yield from markdown(["fact", "value"], ([fact, value or "not recorded"] for fact, value in known))
    yield from tables(result)


def write(path):
    """Writes the summary of the raw result at `path` beside it; returns its path."""
    with open(path) as f:
        result = json.load(f)
    name, out = os.path.splitext(os.path.basename(path))[0], os.path.splitext(path)[0] + ".md"
    with open(out, "w") as f:
        f.write("\n".join(text(result, name, os.path.getmtime(path))).rstrip() + "\n")
    return out

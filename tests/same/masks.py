"""What differs from run to run is made equal before two outputs are compared: the folder, process ids, dates, who built the program and
how, and, in rows that measure, the measured numbers. Rows on the scripted clock of ioengine=sim keep every number."""
import re

EXACT, MEASURED, TIMED = range(3)  # what a row's numbers are: known; times are the machine's; how much was done is as well

# What no two runs share. Order matters: the first that matches has had its turn.
ALWAYS = [(re.compile(pattern, re.M), to) for pattern, to in (
    (r"\(commit [^)]*\)", "(commit #)"),
    (r'("(?:commit|compiler)" : )"[^"]*"', r'\1"#"'),
    (r'(commit=")[^"]*"|(<commit>)[^<]*', r'\1\2#'),
    (r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z][a-z] [ \d]\d \d\d:\d\d:\d\d \d{4}", "DATE"),
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "UUID"),
    (r"\bpid=\d+", "pid=#"),
    (r'("(?:pid|tid|timestamp|timestamp_ms|job_start|time_epoch_ms|end_epoch_ms|start_epoch_ms|'
     r'load_average_1min|usr_cpu|sys_cpu|ctx|majf|minf|rchar|usr_cpu_percent|sys_cpu_percent|context_switches|major_faults|minor_faults)" : )'
     r"[\d.]+", r"\1#"),
    (r'("(?:waited_s|background_cpu_percent|background_disk_iops|background_disk_bytes_per_s)" : )[\d.]+', r"\1#"),
    (r"^(  cpu          : ).*$", r"\1#"),
    # the build: one without optimisation says so
    (r'^ *\{\n *"id" : "build\.[^{}]*\},?\n', ""),
    (r'^ *<finding id="build\.[^>]*>\n(?: .*\n)*? *</finding>\n', ""),
    (r"^.*build\.(?:unoptimised|sanitized|profiled).*\n(?:    .*\n)*", ""),
)]

# In rows that measure. What a user asked for and what follows from it alone keeps its numbers.
KEPT_KEYS = set("""schema_version format_version groupid group_id job_number members iodepth latency_depth total_ios io_bytes io_kbytes ios issued_ios bytes
    short_ios dropped_ios error_ios moved_bytes moved_ios sync_ios error error_count errno asked_bytes asked_depth asked_size_bytes asked_read_percent
    done_bytes window_bytes unsynced_bytes series_width_ms cpus_online cpus_allowed memory_bytes queue_pairs block_bytes unit_bytes
    map_bytes set_bytes page_bytes duration_s read_percent threads processes offset_words delay_ticks shape seed limit_bytes size_bytes
    process thread capacity_kib level line_bytes partitions sets ways runs exit_status entries entries_per_cpu cpu cpu_a cpu_b attempts confidence
    latency_target latency_target_ns latency_percentile latency_window latency_window_us""".split())
AMOUNTS = set("""total_ios io_bytes io_kbytes ios issued_ios bytes moved_bytes moved_ios done_bytes error_count""".split())
MEASURED_TEXTS = set("evidence text line how cause calibration fit words name subject value verdict reason test_words who sum_squares_ns2".split())
ISSUED = re.compile(r"^ *issued rwts")
KEPT_LINES = re.compile(r"^\S+: \(g=|^Starting |^usage:|^[\w<].* error: |^ *memory: |^ *accesses: ")
NUMBER = re.compile(r"(?<![A-Za-z_#])[-+±]?\d(?:[\d.,]*\d)?(?:e[-+]?\d+)?(?:[kKMGT](?:i?B(?:/s)?)?|[nmu]s(?:ec)?|s\b|%)?")
UNIT = re.compile(r"(?<![A-Za-z])\(?(?:nsec|usec|msec|usecs|ns|us|ms|[KMGT]iB|[kMGT]B)\)?(?![A-Za-z])")
JSON_NUMBER = re.compile(r'( *"([^"]*)" : )(-?\d+)(\.\d+)?(,?)$')
JSON_TEXT = re.compile(r'( *"([^"]*)" : )(".*",?)$')
JUDGED = re.compile(r'("(?:device_bound|ok)" : )(?:true|false)')
JSON_OTHER = re.compile(r' *(?:"[^"]*"(?: : (?:[{[]|true|false|null))?|[{}[\]])[{}[\]]*,?$')
# Charts; counters of the kernel that are there only where they have moved.
MACHINES = re.compile(r"[▁▂▃▄▅▆▇█┤┬└─]|<counter name=|^ *kernel, whole machine:|^ *  [a-z_]+ \d+, [a-z_]+ \d+")
COUNTERS = re.compile(r'^( *"(?:vmstat|memcg|kernel)" : \{)\n(?: *"[\w.]+" : -?[\d.]+,?\n)+( *\})', re.M)
REPEATED_LINES = 40


def json_shape(line, kept_keys):
    """A line of JSON without what was measured, or None: whether a number has decimals stays."""
    if found := JSON_NUMBER.match(line):
        head, key, _, decimals, comma = found.groups()
        if key in kept_keys:
            return line
        if re.fullmatch(r"[\d.>=]+", key):  # a percentile, a bin
            head = head.replace(f'"{key}"', '"#"')
        return f"{head}{'#.#' if decimals else '#'}"
    if found := JSON_TEXT.match(line):
        return found[1] + words_shape(found[3]) if found[2] in MEASURED_TEXTS else line
    return JUDGED.sub(r"\1#", line) if JSON_OTHER.match(line) else None


def words_shape(line):
    """What is left of a line without its numbers: lists of them are one."""
    line = UNIT.sub("T", NUMBER.sub("#", line))
    line = re.sub(r"\s+", " ", line.replace(" - ", " # ")).rstrip(" ,").replace("[ ", "[").replace("= ", "=")
    line = re.sub(r"#+", "#", line)
    return re.sub(r"((?:\||\b\w*)?[# ]?#[^\s#]*(?:#[^\s#]*)*)(?:[ ,]+\1)+", r"\1", line)


def shape(line, level):
    json = json_shape(line, KEPT_KEYS if level == MEASURED else KEPT_KEYS - AMOUNTS)
    if json is not None:
        return json.rstrip(",")
    return line if KEPT_LINES.match(line) or level == MEASURED and ISSUED.match(line) else words_shape(line)


def numbers(text, level):
    """A measured output: lines without their numbers, and lines or blocks of lines that are then as those before them are one."""
    kept = []
    for line in COUNTERS.sub(r"\1 #\n\2", text).split("\n"):
        if MACHINES.search(line):
            continue
        kept.append(shape(line, level))
        for length in range(1, REPEATED_LINES + 1):
            if len(kept) >= 2 * length and kept[-length:] == kept[-2 * length:-length]:
                del kept[-length:]
                break
    return "\n".join(kept)


def masked(text, level):
    for pattern, to in ALWAYS:
        text = pattern.sub(to, text)
    return text if level == EXACT else numbers(text, level)

"""What the programs that read fio's JSON need: kubestr's Go types, fio-plot's fields, the keys that 3.42 added, all of ours under one key.

Go's decoder refuses 1.0 for an int, so int and float are told apart. Key by key against fio: tests/report/keys_test.py.
"""
import compare

TOP_KEYS = {"fio version", "timestamp", "timestamp_ms", "time", "global options", "jobs", "disk_util", "fathom"}
ADDED_IN_3_42 = [("jobs", 0, "job_start"), ("jobs", 0, "latency_target_ns"), ("jobs", 0, "latency_window_us"),
                 ("disk_util", 0, "read_sectors"), ("disk_util", 0, "write_sectors")]
KUBESTR_INTS = ["eta", "elapsed", "groupid", "error", "ctx", "majf", "minf", "job_runtime", "latency_depth", "latency_target", "latency_window"]
KUBESTR_DIR_INTS = ["io_bytes", "io_kbytes", "bw_bytes", "bw", "runtime", "total_ios", "short_ios", "drop_ios", "bw_min", "bw_max", "bw_samples",
                    "iops_min", "iops_max", "iops_samples"]
KUBESTR_DIR_FLOATS = ["iops", "bw_agg", "bw_mean", "bw_dev", "iops_mean", "iops_stddev"]
KUBESTR_DISK_INTS = ["read_ios", "write_ios", "read_merges", "write_merges", "read_ticks", "write_ticks", "in_queue"]
INT32 = ["ctx", "majf", "job_runtime"]
FIO_PLOT_LATENCY = {"latency_ns": ("2", "4", "10", "20", "50", "100", "250", "500", "750", "1000"),
                    "latency_us": ("2", "4", "10", "20", "50", "100", "250", "500", "750", "1000"),
                    "latency_ms": ("2", "4", "10", "20", "50", "100", "250", "500", "750", "1000", "2000", ">=2000")}


def report(*words):
    with compare.workspace() as cwd:
        return compare.execute([compare.fio_link(), "--output-format=json", *words], cwd).report


def kind(value):
    return type(value).__name__


def reach(value, path):
    for step in path:
        value = value[step]
    return value


def check_added(checks):
    ours = report("--name=j", "--rw=randrw", "--size=1m", "--direct=1")
    checks.equal("ours stands under one top-level key", set(ours) - TOP_KEYS, set())
    for path in ADDED_IN_3_42 if compare.is_fathom() else ():
        try:
            checks.check(f"3.42 has {path[-1]} as an int", kind(reach(ours, path)) == "int", reach(ours, path))
        except (KeyError, IndexError) as e:
            checks.check(f"3.42 has {path}", False, repr(e))


def check_kubestr(checks):
    ours = report("--name=j", "--rw=randrw", "--size=2m", "--direct=1", "--fsync=16")
    job = ours["jobs"][0]
    for holder, keys, wanted in ((job, KUBESTR_INTS, "int"), (job["read"], KUBESTR_DIR_INTS, "int"), (job["write"], KUBESTR_DIR_INTS, "int"),
                                 (job["read"], KUBESTR_DIR_FLOATS, "float"), (ours["disk_util"][0], KUBESTR_DISK_INTS, "int")):
        for key in keys:
            checks.check(f"kubestr: {key} is {wanted}", kind(holder[key]) == wanted, repr(holder[key]))
    for key in INT32:
        checks.check(f"kubestr: {key} fits int32", 0 <= job[key] < 2 ** 31, job[key])
    checks.check("kubestr: options are strings", all(isinstance(v, str) for v in job["job options"].values()), job["job options"])
    for part in ("slat_ns", "clat_ns", "lat_ns"):
        checks.equal(f"kubestr: {part}", [kind(job["read"][part][k]) for k in ("min", "max", "mean", "stddev", "N")],
                     ["int", "int", "float", "float", "int"])


def check_fio_plot(checks):
    ours = report("--name=j", "--readwrite=randrw", "--blocksize=8k", "--size=1m", "--iodepth=2", "--numjobs=1", "--ioengine=libaio", "--direct=1")
    job = ours["jobs"][0]
    checks.check("fio-plot: two known top keys", len({"fio version", "global options", "jobs"} & set(ours)) >= 2, list(ours))
    options = {**ours.get("global options", {}), **job["job options"]}
    checks.equal("fio-plot: canonical option names, as written", [options.get(k) for k in ("rw", "bs", "iodepth", "numjobs")],
                 ["randrw", "8k", "2", "1"])
    for direction in ("read", "write"):
        for path in (("bw",), ("iops",), ("iops_stddev",), ("lat_ns", "mean"), ("lat_ns", "stddev")):
            checks.check(f"fio-plot: {direction} {path}", isinstance(reach(job[direction], path), (int, float)))
    for key, labels in FIO_PLOT_LATENCY.items():
        checks.equal(f"fio-plot: labels of {key}", tuple(job[key]), labels)
    checks.check("fio-plot: cpu", all(kind(job[k]) == "float" for k in ("usr_cpu", "sys_cpu")))
    checks.equal("fio-plot: jobname", job["jobname"], "j")


def main():
    checks = compare.Checks()
    for part in (check_added, check_kubestr, check_fio_plot):
        part(checks)
    checks.done()


main()

"""The job files that bench-fio makes: every key written out, whatever its value, and always the three logs averaged over log_avg_msec. One row a
mode of it; its program is not packaged, so its files are made here.
"""
BASE = {
    "rw": "randread", "bs": "4k", "ioengine": "libaio", "iodepth": "1", "numjobs": "1", "direct": "1", "group_reporting": "1", "invalidate": "1",
    "loops": "1", "write_bw_log": "{rw}-iodepth-{iodepth}-numjobs-{numjobs}", "write_lat_log": "{rw}-iodepth-{iodepth}-numjobs-{numjobs}",
    "write_iops_log": "{rw}-iodepth-{iodepth}-numjobs-{numjobs}", "log_avg_msec": "500",
}
RUNTIME = {"runtime": "60", "time_based": "1"}
DIRECTORY = {"directory": "/data", "size": "10g"}
FILE = {"filename": "/data/bench", "size": "10g"}
DEVICE = {"filename": "/dev/nvme0n1"}
MODES = {
    "directory, random read": {**DIRECTORY, **RUNTIME},
    "file, random write": {**FILE, **RUNTIME, "rw": "randwrite", "iodepth": "16"},
    "device, random read": {**DEVICE, **RUNTIME, "iodepth": "64", "numjobs": "8"},
    "device, sequential read to its end": {**DEVICE, "rw": "read", "bs": "1m"},
    "mixed": {**DIRECTORY, **RUNTIME, "rw": "randrw", "rwmixread": "75", "iodepth": "8", "numjobs": "4"},
    "sequential mixed": {**DIRECTORY, **RUNTIME, "rw": "readwrite", "rwmixread": "90"},
    "sequential write": {**FILE, **RUNTIME, "rw": "write", "bs": "1m", "ioengine": "io_uring"},
    "extra options": {**FILE, **RUNTIME, "norandommap": "1", "refill_buffers": "1", "randrepeat": "0", "gtod_reduce": "0", "percentile_list": "50:99:99.9"},
    "steady state": {**FILE, **RUNTIME, "rw": "randwrite", "steadystate": "iops_slope:0.3%", "steadystate_duration": "300", "steadystate_ramp_time": "5"},
    "precondition, then random": {**DEVICE, "rw": "write", "bs": "1m", "iodepth": "32", "loops": "2"},
    "entire device": {**DEVICE, **RUNTIME, "rw": "randread", "iodepth": "4", "cpus_allowed": "0", "cpus_allowed_policy": "split"},
    "trim mixed with writes": {**FILE, **RUNTIME, "rw": "randwrite", "fsync": "16", "rate_iops": "2000"},
}


def job_file(mode):
    keys = {**BASE, **MODES[mode]}
    return "[bench]\n" + "".join(f"{key}={value.format(**keys)}\n" for key, value in keys.items())

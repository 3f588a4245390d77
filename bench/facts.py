"""What a result needs to be judged later: the machine, its disk, what else it was doing, and which programs were measured."""
import os
import platform
import subprocess
import time

import compare


def first_line(path, key=None):
    try:
        with open(path) as f:
            for line in f:
                if key is None or line.startswith(key):
                    return line.split(":", 1)[-1].strip() if key else line.strip()
    except OSError:
        pass
    return ""


def mount_of(path):
    """(device, mount point, type, options) of the file system that holds path."""
    best = ("", "", "", "")
    with open("/proc/mounts") as f:
        for line in f:
            device, point, kind, options = line.split()[:4]
            inside = os.path.realpath(path).startswith(point.rstrip("/") + "/") or point == "/"
            if inside and len(point) >= len(best[1]):
                best = (device, point, kind, options)
    return best


def machine():
    device, point, kind, mount_options = mount_of(compare.BASE)
    queue = f"/sys/block/{os.path.basename(device)}/queue"
    return {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "kernel": platform.release(), "machine": platform.machine(),
        "cpu": first_line("/proc/cpuinfo", "model name"), "cpus": len(os.sched_getaffinity(0)),
        "memory_kib": int(first_line("/proc/meminfo", "MemTotal").split()[0]),
        "clock_source": first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "load_before": os.getloadavg()[0],
        "target": {"folder": compare.BASE, "device": device, "mount_point": point, "file_system": kind, "mount_options": mount_options,
                   "scheduler": first_line(f"{queue}/scheduler"), "rotational": first_line(f"{queue}/rotational")},
    }


def programs(fathom):
    def answer(*argv):
        try:
            return subprocess.run(argv, capture_output=True, text=True).stdout.strip()
        except FileNotFoundError:
            return f"{os.path.basename(argv[0])} is not installed"
    return {"fio": answer(compare.FIO, "--version"), "fathom": answer(fathom, "--version")}

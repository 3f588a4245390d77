"""`fathom paging learn` on kernels that have more to see than most hosts. A process whose use of memory is known (tests/paging_learn/load.cc) is observed,
and the profile must come near it. The host's other work decides how fast the emulated load is."""
import os
import pathlib
import re
import subprocess

SOURCE = pathlib.Path(os.environ["FATHOM_SOURCE"])
PAGES = 1024
ATTEMPTS = 2


def observe(theta, reads, move_s, seconds, rate, *options):
    load = f"load {PAGES} {theta} {reads} {move_s} {seconds + 10} {rate}"
    return (f"{load} >/dev/null & sleep 2; fathom paging learn --eta=never --duration={seconds}s {' '.join(options)} --pid=$!; "
            "echo status $?; kill $! 2>/dev/null; wait")


def compiled_load(parts, folder):
    load = pathlib.Path(folder) / "load"
    sources = [SOURCE / "tests/paging_learn/load.cc", SOURCE / "src/pattern/draws/zipf.cc", SOURCE / "src/pattern/permutation.cc"]
    subprocess.run([os.environ.get("CXX") or "g++", "-std=c++20", "-O2", "-static", f"-I{SOURCE / 'src'}", *map(str, sources), "-o", str(load)], check=True)
    return load


PROGRAMS = {"load": compiled_load}


def number(text, name):
    found = re.search(rf"^{name} (-?[\d.e+]+)", text, re.M)
    return float(found.group(1)) if found else float("nan")


def near(check, step, name, value, tolerance, text):
    found = number(text, name)
    check(abs(found - value) <= tolerance, f"{step}: {name} {found:g}, was {value:g} ± {tolerance:g}", text)

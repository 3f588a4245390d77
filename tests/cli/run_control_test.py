"""What scripts read of a job that went on after errors, was ended by a limit, or looked for a depth or a steady state: exit status, texts and
the keys and types of fio's JSON, under fio's name."""
# label: quick
# timeout: 60
import json
import os
import re
import subprocess
import sys
import tempfile

FATHOM = os.environ["FATHOM"]
FIO = os.path.join(os.path.dirname(FATHOM), "fio")


def check(condition, what, failures, shown=""):
    print(("ok   " if condition else "FAIL ") + what)
    if not condition:
        print(str(shown)[-3000:])
        failures.append(what)


def run(*words, head=(FIO,)):
    return subprocess.run([*head, *words], capture_output=True, text=True, timeout=50, check=False)


def json_of(done):
    return json.JSONDecoder().raw_decode(done.stdout[done.stdout.index("{\n"):])[0]  # text may follow


# effect: ignore_error error_dump continue_on_error
def goes_on(directory, failures):
    """Direct reads of 1000 bytes: the kernel refuses each of them."""
    job = ["--name=a", f"--filename={directory}/f", "--size=64k", "--bs=1000", "--direct=1", "--rw=read"]
    for engine in (["--ioengine=psync"], ["--ioengine=libaio", "--iodepth=4"]):
        what = engine[0]
        done = run(*job, *engine, "--ignore_error=EINVAL", "--continue_on_error=verify", "--output-format=json")
        found = json_of(done)["jobs"][0]
        check(done.returncode == 0 and done.stderr == "", f"{what}: goes on, and ends well", failures, done.stderr)
        check((found["error"], found["total_err"], found["first_error"]) == (22, 65, 22), f"{what}: all are counted", failures, found)
        check(found["read"]["io_bytes"] == 0, f"{what}: and none moved anything", failures)
        done = run(*job, *engine, "--ignore_error=EINVAL")
        check("     errors    : total=65, first_error=22/<Invalid argument>\n" in done.stdout, f"{what}: fio's line", failures, done.stdout)
        check("io_u error" not in done.stdout + done.stderr, f"{what}: none is said", failures, done.stdout)
        done = run(*job, *engine, "--ignore_error=EINVAL", "--error_dump=1")
        said = re.findall(r"^fio: io_u error on file \S+/f: Invalid argument: read offset=\d+, buflen=1000", done.stdout + done.stderr, re.M)
        check(len(said) >= 16, f"{what}: error_dump says them", failures, done.stdout)
        terse = run(*job, *engine, "--ignore_error=EINVAL", "--output-format=terse").stdout
        check(terse.endswith(";65;22\n"), f"{what}: in terse at the end of the line", failures, terse)
        check("total_err" not in json_of(run(*job, *engine, "--output-format=json"))["jobs"][0], f"{what}: without, no such key", failures)


def refused_size(directory, failures):
    done = run("--name=a", f"--filename={directory}/g", "--size=64k", "--bs=1000", "--direct=1", "--rw=read", "--name=b", "--ioengine=null",
               "--size=1m", head=(FATHOM, "run"))
    check(done.returncode == 4, f"a block size that the device refuses ends the job (exit {done.returncode})", failures)
    check("the device accepts whole blocks of" in done.stderr + done.stdout, "the cause is said", failures, done.stderr)
    check("write bs= and offset= as multiples of" in done.stderr + done.stdout, "and the remedy", failures, done.stderr)
    check(re.search(r"^b: \(groupid=0, jobs=1\): err= 0", done.stdout, re.M), "the other job is not touched by it", failures, done.stdout)


# effect: max_latency rate_min
def limits(failures):
    done = run("--name=a", "--ioengine=sim", "--sim_latency=const:16us", "--size=1m", "--max_latency=1us", "--rate_min=1")
    check(done.returncode == 1, f"max_latency fails the job (exit {done.returncode})", failures)
    # sim has no file to name
    line = r"^fio: latency of 16000 nsec exceeds specified max \(1000 nsec\):  read 0 4096$"
    check(re.search(line, done.stdout + done.stderr, re.M), "in fio's words", failures, done.stdout + done.stderr)
    check("err=110" in done.stdout, "with its errno", failures, done.stdout)


def kinds(value):
    if isinstance(value, dict):
        return {key: kinds(each) for key, each in value.items()}
    return [kinds(each) for each in value] if isinstance(value, list) else type(value).__name__


# effect: latency_target latency_window latency_percentile
def depth(failures):
    words = ["--name=a", "--ioengine=sim", "--sim_latency=const:10us", "--size=1g", "--rw=randread", "--iodepth=32", "--time_based", "--runtime=3s",
             "--latency_target=50us", "--latency_window=200ms", "--latency_percentile=99"]
    found = json_of(run(*words, "--output-format=json"))["jobs"][0]
    wanted = {"latency_depth": 32, "latency_target": 50000, "latency_target_ns": 50000, "latency_percentile": 99.0, "latency_window": 200000,
              "latency_window_us": 200000}
    check({key: found[key] for key in wanted} == wanted, "latency_target in JSON, as fio 3.42 has it", failures, found)
    text = run(*words).stdout
    check("     latency   : target=50.00us, window=200.00ms, percentile=99.00%, depth=32\n" in text, "and in the text", failures, text)
    check("/200msec)" in text, "one window is measured", failures, text)


# effect: steadystate steadystate_duration
def steady(failures):
    words = ["--name=a", "--ioengine=null", "--size=1g", "--time_based", "--runtime=30s", "--rate_iops=1000", "--steadystate=iops:20%",
             "--steadystate_duration=2"]
    done = run(*words, "--output-format=normal,json")
    found = json_of(done)["jobs"][0]["steadystate"]
    wanted = {"ss": "str", "duration": "int", "attained": "int", "criterion": "str", "max_deviation": "float", "slope": "float",
              "data": {"bw_mean": "int", "iops_mean": "int", "iops": ["int", "int"], "bw": ["int", "int"]}}
    check(kinds(found) == wanted and list(found) == list(wanted), "steadystate in JSON has fio's keys and types", failures, found)
    check(found["ss"] == "iops:20.000000%" and found["attained"] == 1 and found["criterion"].endswith("%"), "with its values", failures, found)
    check(900 <= found["data"]["iops_mean"] <= 1100 and 3.7e6 < found["data"]["bw_mean"] < 4.5e6, "which are the rate's", failures, found)
    line = r"^  steadystate  : attained=yes, bw=\S+ \(\S+\), iops=\d+, iops mean dev=\d+\.\d{3}%$"
    check(re.search(line, done.stdout, re.M), "and fio's line", failures, done.stdout)


def main():
    failures = []
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        goes_on(directory, failures)
        refused_size(directory, failures)
    limits(failures)
    depth(failures)
    steady(failures)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

# label: test
# timeout: 600
# cost: 5
"""A job in a place that allows less than was asked: as nobody, in a container's overlay, in a cgroup of 64 MiB. What is not permitted says so in the
job's text, with the right that is missing, and the other job of the run goes on; what is permitted there gives what it gives elsewhere. Exit status and
counts are those of Debian's fio, but where its answer is a log that was lost, or a job that quietly did nothing. fio's are recorded (tests/reference/recorded.py).
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reference"))
import recorded  # noqa: E402

FATHOM = os.environ.get("FATHOM", "fathom")
FIO = recorded.FIO
NOBODY = 65534
AS_NOBODY = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
OTHER = ["--name=other", "--filename=other", "--size=64k", "--ioengine=psync", "--rw=write"]
OTHER_DONE = 16
MEMORY = pathlib.Path("/sys/fs/cgroup/memory")

# Options of a job that writes 256 KiB: the errno, and what the message holds.
REFUSED = {
    "--lockmem=1g": (12, "ulimit -l"),
    "--nice=-5": (1, "CAP_SYS_NICE"),
    "--prioclass=1": (1, "CAP_SYS_NICE"),
    "--uid=0": (1, "run as root"),
    "--gid=0": (1, "run as root"),
    "--mem=shmhuge": (1, "CAP_IPC_LOCK"),
    "--mem=mmaphuge:/no/such/mount": (2, "hugetlbfs"),
    "--directory=/root": (13, "run as a user"),
    "--filename=/root/f": (13, "run as a user"),
    "--opendir=/root": (13, "run as a user with permission to read"),
    "--write_bw_log=/root/p": (13, "write_*_log="),
    "--exec_prerun=/etc/shadow": (0, ""),
    "--ioengine=exec --program=/etc/shadow": (13, "program="),
    "--ioengine=sg --filename=/etc/passwd": (25, "/dev/sdX"),
}
# Options that nobody may use: reads and writes of the job.
ALLOWED = {
    "--write_lat_log=p --log_avg_msec=10 --log_compression=4k": (0, 64),
    "--write_lat_log=p --log_compression=4k --log_store_compressed=1": (0, 64),
    "--unlink_each_loop=1 --loops=3": (0, 192),
    "--file_append=1 --fill_device=1": (0, 64),
    "--rw=read --pre_read=1 --fadvise_hint=random": (64, 0),
    "--lockmem=64k --nice=3 --prioclass=2 --prio=3 --cpumask=1": (0, 64),
    "--uid=65534 --gid=65534 --exec_prerun=true": (0, 64),
    "--mem=shm": (0, 64),
    "--lockfile=exclusive": (0, 64),
    "--latency_target=1s --latency_window=50ms --latency_percentile=90": (0, 64),
    "--flow=1 --flow_id=1": (0, 64),
    "--rw=read --zonemode=strided --zonesize=16k --zoneskip=16k": (64, 0),
    "--ioengine=io_uring --iodepth=4 --sqthread_poll=1": (0, 64),
    "--ioengine=posixaio --iodepth=4": (0, 64),
    "--ioengine=splice": (0, 64),
    "--ioengine=mmap": (0, 64),
    "--ioengine=falloc": (0, 64),
}
# Fathom's alone: fio loses its worker (mem), hangs (offload), or 3.33 has it not.
OURS = {
    "--mem=mmapshared:./buffers": (0, 64),
    "--io_submit_mode=offload --iodepth=4": (0, 64),
    "--rw=randwrite --random_generator=lfsr --norandommap=1 --sprandom=1 --spr_op=0.2": (0, None),
}
# In a container's folders.
OVERLAY = {
    **{words: ALLOWED[words] for words in list(ALLOWED)[:5]},
    "--ioscheduler=none": (0, 64),
    "--direct=1 --ioengine=libaio --iodepth=4": (0, 64),
    "--overwrite=1 --sync_file_range=write:4 --write_hint=short": (0, 64),
    "--verify=crc32c": (64, 64),
    "--ioengine=mmap": (0, 64),
    "--ioengine=falloc": (0, 64),
    "--filename_format=a/b/c.$filenum": (0, 64),
}


def summary(done):
    """[(error, reads, writes)] of all jobs, or None: no report."""
    start = done.stdout.find("{")
    report = json.JSONDecoder().raw_decode(done.stdout[start:])[0] if start >= 0 else None
    return report and [(job["error"], job["read"]["total_ios"], job["write"]["total_ios"]) for job in report["jobs"]]


class Places(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The program where anybody may run it."""
        folder = tempfile.TemporaryDirectory(prefix="fathom-rights-", dir="/var/tmp")
        cls.addClassCleanup(folder.cleanup)
        pathlib.Path(folder.name).chmod(0o755)
        cls.ours = shutil.copy(FATHOM, pathlib.Path(folder.name) / "fio")

    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("needs root, to become somebody else, to mount and to make a cgroup")
        if os.environ.get("FATHOM_SANITIZE"):
            self.skipTest("a sanitized program takes memory and rights of its own")
        folder = tempfile.TemporaryDirectory(prefix="fathom-rights-", dir="/var/tmp")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.folder.chmod(0o755)

    def work(self):
        place = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        place.chmod(0o777)
        return place

    def run_job(self, program, words, place, **kwargs):
        own = ["--filename=f"] if not any(w in words for w in ("filename", "directory", "opendir")) else []
        command = [program, "--output-format=json", "--eta=never", "--name=a", "--rw=write", "--size=256k", *own, *words.split(), *OTHER]
        return subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=60, **kwargs)

    def both(self, words, place_of, **kwargs):
        """(what fathom's run gave, exit status and summary of fio's)"""
        def of_fio():
            theirs = self.run_job(FIO, words, place_of(), **kwargs)
            return [theirs.returncode, summary(theirs)]

        done = self.run_job(self.ours, words, place_of(), **kwargs)
        return done, recorded.answer(f"{type(self).__name__}: {words}", of_fio)


class UnprivilegedUser(Places):
    def test_forbidden_options_are_reported_and_the_other_job_runs(self):
        for words, (errno, said) in REFUSED.items():
            with self.subTest(words):
                done = self.run_job(self.ours, words, self.work(), **AS_NOBODY)
                self.assertEqual(summary(done), [(errno, 0, 0), (0, 0, OTHER_DONE)], done.stderr)
                self.assertEqual(done.returncode, 1 if errno else 0, done.stderr)
                self.assertIn(said, done.stderr)
                if errno:
                    self.assertRegex(done.stderr, r"^<command line>:1:\d+: error: ")

    def test_permitted_options_work_as_in_fio(self):
        for words, (reads, writes) in ALLOWED.items():
            with self.subTest(words):
                done, theirs = self.both(words, self.work, **AS_NOBODY)
                self.assertEqual((done.returncode, done.stderr, summary(done)), (0, "", [(0, reads, writes), (0, 0, OTHER_DONE)]))
                self.assertEqual(theirs, recorded.plain([0, summary(done)]))
        for words, (reads, writes) in OURS.items():
            with self.subTest(words):
                done = self.run_job(self.ours, words, self.work(), **AS_NOBODY)
                found = summary(done)
                self.assertEqual((done.returncode, done.stderr, found[0][:2], found[1]), (0, "", (0, reads), (0, 0, OTHER_DONE)))
                self.assertTrue(writes in (None, found[0][2]), found)

    def test_opendir_with_an_unreadable_subfolder_is_refused(self):
        place = self.work()
        for name in ("open/a", "shut/b", "open/z"):
            (place / name).parent.mkdir(exist_ok=True)
            (place / name).write_bytes(b"x" * 8192)
        (place / "link").symlink_to(self.ours)
        done = self.run_job(self.ours, "--rw=read --size=24k --opendir=.", place, **AS_NOBODY)
        self.assertEqual(summary(done)[0], (0, 6, 0), f"a link's file is none of it: {done.stderr}")
        (place / "shut").chmod(0)
        done = self.run_job(self.ours, "--rw=read --size=24k --opendir=.", place, **AS_NOBODY)
        self.assertEqual(summary(done)[0], (13, 0, 0))
        self.assertIn("opendir=.: Permission denied", done.stderr)


class OverlayFilesystem(Places):
    def place(self):
        """The folders of an overlay, which only the command that is run in it sees."""
        top = self.work()
        for name in ("lower", "upper", "work", "merged"):
            (top / name).mkdir()
        return top

    def run_job(self, program, words, place, also="true", **kwargs):
        mount = (f"mount -t overlay overlay -o lowerdir={place}/lower,upperdir={place}/upper,workdir={place}/work {place}/merged && cd {place}/merged && "
                 f"{also}")
        own = [] if "filename" in words else ["--filename=f"]
        command = ["unshare", "-m", "sh", "-c", f'{mount} && exec "$@"', "sh", program, "--output-format=json", "--eta=never", "--name=a", "--rw=write",
                   "--size=256k", *own, *words.split(), *OTHER]
        return subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=60, **kwargs)

    def test_jobs_do_the_same_ios_as_fio(self):
        tried = self.run_job("true", "", self.place())
        if tried.returncode != 0:
            self.skipTest(f"no overlay can be mounted here: {tried.stderr.strip()}")
        for words, (reads, writes) in OVERLAY.items():
            with self.subTest(words):
                done, theirs = self.both(words, self.place)
                self.assertEqual((done.returncode, done.stderr, summary(done)), (0, "", [(0, reads, writes), (0, 0, OTHER_DONE)]))
                self.assertEqual(theirs, recorded.plain([0, summary(done)]))

    def test_unsupported_options_are_reported_with_a_remedy(self):
        tried = self.run_job("true", "", self.place())
        if tried.returncode != 0:
            self.skipTest(f"no overlay can be mounted here: {tried.stderr.strip()}")
        for words, said in {"--ioengine=pvsync2 --nowait=1": "omit nowait=", "--ioengine=e4defrag --donorname=d": "cannot exchange extents"}.items():
            with self.subTest(words):
                done = self.run_job(self.ours, words, self.place())
                self.assertEqual((done.returncode, summary(done)[1]), (1, (0, 0, OTHER_DONE)))
                self.assertIn(said, done.stderr)


    def test_a_read_only_mount_is_reported(self):
        read_only = "truncate -s 256k f && touch other && mount -o remount,ro . && cd ."
        tried = self.run_job("true", "", self.place(), read_only)
        if tried.returncode != 0:
            self.skipTest(f"no overlay can be mounted here: {tried.stderr.strip()}")
        for words in ("--size=64k", "--filename=new", "--rw=read --size=512k", "--rw=read --write_lat_log=p"):
            with self.subTest(words):
                done = self.run_job(self.ours, f"{words} --name=reads --rw=read --filename=f", self.place(), read_only)
                self.assertEqual((done.returncode, [job[:2] for job in summary(done)]), (2, [(30, 0), (0, 64), (30, 0)]), done.stderr)
                self.assertRegex(done.stderr, "not mounted read-only|can be written to")


class UserNamespace(Places):
    def test_root_of_the_namespace_lacks_privileges_with_the_reason(self):
        inside = ["unshare", "-Ur"]
        if subprocess.run([*inside, "true"], capture_output=True).returncode != 0:
            self.skipTest("no user namespace can be made")
        rows = {"--nice=-5": (1, "CAP_SYS_NICE"), "--prioclass=1": (1, "CAP_SYS_NICE"), "--gid=65534": (22, "gid_map"), "--uid=65534": (22, "uid_map"),
                "--uid=0 --gid=0 --nice=5": (0, "")}
        for words, (errno, said) in rows.items():
            with self.subTest(words):
                command = [*inside, self.ours, "--output-format=json", "--eta=never", "--name=a", "--rw=write", "--size=256k", "--filename=f",
                           *words.split(), *OTHER]
                done = subprocess.run(command, cwd=self.work(), capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, summary(done)), (1 if errno else 0, [(errno, 0, 0 if errno else 64), (0, 0, OTHER_DONE)]), done.stderr)
                self.assertIn(said, done.stderr)


class RestrictedCpuset(Places):
    def test_a_cpu_outside_of_it_is_named(self):
        top = pathlib.Path("/sys/fs/cgroup/cpuset")
        cpus = sorted(os.sched_getaffinity(0))
        if not (top / "cpuset.cpus").exists() or len(cpus) < 2:
            self.skipTest("no cpuset controller of cgroup version 1, or one CPU")
        group = top / f"fathom-rights-{os.getpid()}"
        group.mkdir()
        self.addCleanup(group.rmdir)
        (group / "cpuset.cpus").write_text(str(cpus[0]))
        (group / "cpuset.mems").write_text((top / "cpuset.mems").read_text())
        for words, done_ios in {f"--cpus_allowed={cpus[1]}": 0, f"--cpus_allowed={cpus[0]},{cpus[1]}": 64}.items():
            with self.subTest(words):
                done = self.run_job(self.ours, words, self.work(), preexec_fn=lambda: (group / "cgroup.procs").write_text(str(os.getpid())))
                error = 0 if done_ios else 22
                self.assertEqual((done.returncode, summary(done)), (1 if error else 0, [(error, 0, done_ios), (0, 0, OTHER_DONE)]), done.stderr)
                self.assertEqual(f"are among {cpus[0]}\n" in done.stderr, error != 0, done.stderr)


class SmallMemoryCgroup(Places):
    ROWS = 1_000_000  # of single I/Os: 48 MB as they lie in memory, of each of two logs

    def setUp(self):
        super().setUp()
        if not (MEMORY / "memory.limit_in_bytes").exists():
            self.skipTest("no memory controller of cgroup version 1")
        self.group = MEMORY / f"fathom-rights-{os.getpid()}"
        try:
            self.group.mkdir()
        except OSError as why:
            self.skipTest(f"no cgroup can be made: {why}")
        self.addCleanup(self.group.rmdir)
        (self.group / "memory.limit_in_bytes").write_text(str(64 << 20))

    def enter(self):
        (self.group / "cgroup.procs").write_text(str(os.getpid()))

    def test_unaveraged_logs_are_complete_and_no_process_is_killed(self):
        place = self.work()
        command = [self.ours, "--output-format=json", "--eta=never", "--name=a", "--ioengine=null", "--rw=read", "--size=1t", "--numjobs=2",
                   f"--number_ios={self.ROWS}", "--write_lat_log=p"]
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=120, preexec_fn=self.enter)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        ios = [job["read"]["total_ios"] for job in json.loads(done.stdout)["jobs"]]
        for number, count in enumerate(ios, 1):
            for kind in ("lat", "clat"):
                with open(place / f"p_{kind}.{number}.log", "rb") as log:
                    self.assertEqual(sum(part.count(b"\n") for part in iter(lambda: log.read(1 << 20), b"")), count)
        self.assertIn("oom_kill 0", (self.group / "memory.oom_control").read_text())


if __name__ == "__main__":
    if os.geteuid() == 0:
        os.setpriority(os.PRIO_PROCESS, 0, 0)  # whoever starts with a lower niceness may ask for it again
    unittest.main()

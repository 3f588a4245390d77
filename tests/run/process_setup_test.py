# label: quick
# timeout: 300
"""What a job asks of its process: a command that the job runs afterwards (exec_postrun) looks at what it inherited, and at its parent, the
worker, in /proc. With `thread` the calls are looked at instead (strace), because the thread has ended when its process may be asked."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

FATHOM = os.environ["FATHOM"]
ROOT = os.geteuid() == 0
CPUS = sorted(os.sched_getaffinity(0))
LOOK = ("grep -E '^(Uid|Gid|Cpus_allowed_list|VmLck)' /proc/self/status; echo nice $(nice); echo ioprio $(ionice -p $$); "
        "echo comm $(cat /proc/$PPID/comm); grep VmLck /proc/$PPID/status | sed s/VmLck/parent_lock/; cat /proc/self/cgroup; "
        "sed 's/^/maps /' /proc/$PPID/numa_maps | head -400; sed 's/^/mapped /' /proc/$PPID/maps; sed 's/^/shm /' /proc/sysvipc/shm")


class Folder(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory(prefix="fathom-process-")
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        self.folder.chmod(0o777)

    def run_job(self, *options, name="j", status=0, prefix=(), program=FATHOM, file="f"):
        (self.folder / file).touch()
        (self.folder / file).chmod(0o666)
        command = [*prefix, program, "run", f"--name={name}", f"--filename={file}", "--size=64k", "--ioengine=psync", "--rw=write",
                   "--audit=off", "--clock-check=skip", "--output-format=json", "--output=out.json", *options]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.stderr = done.stderr
        if "--output-format=normal" in options:
            return None
        return json.loads((self.folder / "out.json").read_text()) if (self.folder / "out.json").exists() else None

    def looked(self, *options):
        self.run_job(*options, f"--exec_postrun={LOOK}")
        return (self.folder / "j.postrun.txt").read_text()

    def findings(self, result):
        return {f["id"]: f["evidence"] for f in result["fathom"]["findings"]}


class ProcessSetup(Folder):
    # effect: nice
    def test_nice_sets_the_process_priority(self):
        self.assertIn("nice 7\n", self.looked("--nice=7"))

    # effect: nice
    def test_root_may_set_a_negative_nice(self):
        if not ROOT:
            self.skipTest("nice=-5 is root's")
        self.assertIn("nice -5\n", self.looked("--nice=-5"))

    # effect: prio prioclass
    def test_prio_and_prioclass_set_the_io_priority(self):
        self.assertIn("ioprio best-effort: prio 5\n", self.looked("--prio=5"))
        self.assertIn("ioprio idle\n", self.looked("--prioclass=3"))
        self.assertIn("ioprio best-effort: prio 6\n", self.looked("--prioclass=2", "--prio=6"))

    # effect: prio prioclass priohint
    def test_priohint_is_passed_to_ioprio_set(self):
        self.run_job("--prioclass=2", "--prio=3", "--priohint=4", prefix=("strace", "-f", "-e", "trace=ioprio_set", "-o", "calls"))
        calls = (self.folder / "calls").read_text()
        self.assertRegex(calls, r"ioprio_set\(IOPRIO_WHO_PROCESS, 0, (0x4023|.*IOPRIO_PRIO_VALUE\(IOPRIO_CLASS_BE, 35\)|16419)")

    # effect: cpumask
    def test_cpumask_sets_the_allowed_cpus(self):
        self.assertIn(f"Cpus_allowed_list:\t{CPUS[-1]}\n", self.looked(f"--cpumask={1 << CPUS[-1]}"))
        self.assertIn(f"Cpus_allowed_list:\t{CPUS[0]}\n", self.looked(f"--cpumask={1 << CPUS[0]:#x}"))

    # effect: cpus_allowed cpus_allowed_policy
    def test_cpus_allowed_policy_split_gives_each_copy_one(self):
        if len(CPUS) < 2:
            self.skipTest("one CPU")
        self.run_job(f"--cpus_allowed={CPUS[0]},{CPUS[1]}", "--cpus_allowed_policy=split", "--numjobs=2", "--nice=0",
                     prefix=("strace", "-f", "-e", "trace=sched_setaffinity", "-o", "calls"))
        asked = re.findall(r"sched_setaffinity\(0, \d+, \[(\d+)\]", (self.folder / "calls").read_text())
        self.assertEqual(sorted(set(map(int, asked))), CPUS[:2])

    # effect: gtod_cpu
    def test_gtod_cpu_is_kept_free_of_jobs(self):
        if len(CPUS) < 2:
            self.skipTest("one CPU")
        rest = [cpu for cpu in CPUS if cpu != CPUS[0]]
        text = re.search(r"Cpus_allowed_list:\t(\S+)", self.looked(f"--gtod_cpu={CPUS[0]}"))[1]
        told = [n for part in text.split(",") for n in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)]
        self.assertEqual(told, rest)

    # effect: numa_cpu_nodes
    def test_numa_cpu_nodes_sets_the_allowed_cpus(self):
        cpus = pathlib.Path("/sys/devices/system/node/node0/cpulist")
        if not cpus.exists():
            self.skipTest("a kernel without NUMA")
        for value in ("0", "all"):
            self.assertIn(f"Cpus_allowed_list:\t{cpus.read_text().strip()}\n", self.looked(f"--numa_cpu_nodes={value}"))
        self.run_job("--numa_cpu_nodes=63", status=4)
        self.assertIn("node 63 has no CPU", self.stderr)

    # effect: numa_mem_policy
    def test_numa_mem_policy_applies_to_the_mappings(self):
        if not pathlib.Path("/sys/devices/system/node/node0").exists():
            self.skipTest("a kernel without NUMA")
        for value, shown in (("bind:0", "bind:0"), ("prefer:0", r"prefer(\W\w*)?:0"), ("interleave:0", "interleave:0"),
                             ("interleave", "interleave:0"), ("local", "local|prefer"), ("default", "default")):
            self.assertRegex(self.looked(f"--numa_mem_policy={value}"), rf"maps \S+ ({shown}) anon", value)

    # effect: lockmem
    def test_lockmem_locks_that_much_memory(self):
        self.assertRegex(self.looked("--lockmem=3m"), r"parent_lock:\s+3072 kB")
        self.assertRegex(self.looked(), r"parent_lock:\s+0 kB")

    # effect: comm
    def test_comm_names_the_worker(self):
        self.assertIn("comm my job\n", self.looked("--comm=my job"))

    # effect: uid gid
    def test_uid_and_gid_are_set_after_what_needs_root(self):
        if not ROOT:
            self.skipTest("uid and gid are root's")
        shown = self.looked("--uid=65534", "--gid=65533", "--nice=-3")
        self.assertRegex(shown, r"Uid:\t65534\t65534\t65534\t65534\n")
        self.assertRegex(shown, r"Gid:\t65533\t65533\t65533\t65533\n")
        self.assertIn("nice -3\n", shown, "what needs root comes first")

    # effect: uid
    def test_files_are_opened_by_the_job_s_user(self):
        if not ROOT:
            self.skipTest("uid and gid are root's")
        (self.folder / "mine").write_bytes(b"x" * 65536)
        (self.folder / "mine").chmod(0o600)
        done = subprocess.run([FATHOM, "run", "--name=j", "--filename=mine", "--rw=read", "--uid=65534"], cwd=self.folder,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 3)
        self.assertIn("Permission denied", done.stderr)

    # effect: uid gid
    def test_uid_of_a_thread_changes_the_process_and_is_reported(self):
        if not ROOT:
            self.skipTest("uid and gid are root's")
        result = self.run_job("--thread", "--uid=65534", "--exec_postrun=id -u")
        self.assertEqual((self.folder / "j.postrun.txt").read_text(), "65534\n")
        self.assertIn("the whole process keeps the identity", self.findings(result)["option.reading"])

    def test_a_worker_with_another_identity_still_ends_with_its_parent(self):
        if not ROOT:
            self.skipTest("uid and gid are root's")
        parent = subprocess.Popen([FATHOM, "run", "--name=j", "--filename=f", "--size=1m", "--rw=write", "--time_based", "--runtime=60",
                                   "--uid=65534", "--exec_prerun=echo $PPID"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        self.addCleanup(parent.wait)
        self.addCleanup(parent.kill)
        text = self.folder / "j.prerun.txt"
        deadline = 20.0
        while not (text.exists() and text.read_text().strip()) and deadline > 0:
            subprocess.run(["sleep", "0.05"], check=True)
            deadline -= 0.05
        worker = int(text.read_text())
        parent.kill()
        parent.wait()
        for _ in range(100):
            if not pathlib.Path(f"/proc/{worker}").exists():
                return
            subprocess.run(["sleep", "0.05"], check=True)
        self.fail(f"worker {worker} goes on without its parent")


class ExecCommands(Folder):
    # effect: exec_prerun exec_postrun
    def test_prerun_and_postrun_run_in_the_folder_and_keep_their_output(self):
        self.run_job("--exec_prerun=echo before; ls -s f; echo wrong >&2", "--exec_postrun=cat no-such-file; false", name="a b")
        self.assertRegex((self.folder / "a b.prerun.txt").read_text(), r"^before\n\d+ f\nwrong\n$")
        self.assertIn("no-such-file", (self.folder / "a b.postrun.txt").read_text())

    # effect: exec_prerun exec_postrun
    def test_the_report_says_where_the_output_is(self):
        self.run_job("--exec_prerun=true", "--exec_postrun=true", "--output-format=normal")
        text = (self.folder / "out.json").read_text()
        self.assertIn("\nj : Saving output of prerun in j.prerun.txt\nj : Saving output of postrun in j.postrun.txt\n", text)

    # effect: exec_prerun
    def test_a_failed_prerun_skips_the_job(self):
        for thread in ((), ("--thread",)):
            result = self.run_job("--exec_prerun=exit 3", "--exec_postrun=echo ran", *thread)
            self.assertEqual(result["jobs"][0]["write"]["total_ios"], 0)
            self.assertFalse((self.folder / "j.postrun.txt").exists())
            self.assertIn("exec_prerun ended with status 3", self.findings(result)["run.left_out"])

    # effect: exec_prerun
    def test_other_jobs_run_after_a_failed_prerun(self):
        result = self.run_job("--exec_prerun=false", "--name=other", "--filename=g", "--size=32k", "--rw=write")
        self.assertEqual([job["write"]["io_bytes"] for job in result["jobs"]], [0, 32768])


class BufferMemory(Folder):
    def buffers(self, *options):
        return self.looked("--bs=64k", "--size=256k", *options)

    # effect: mem=shm
    def test_mem_shm_maps_shared_memory(self):
        shown = self.buffers("--mem=shm")
        self.assertRegex(shown, r"mapped \S+ rw-s .*/SYSV00000000 \(deleted\)")

    # effect: mem=mmap
    def test_mmap_of_a_file_is_private(self):
        shown = self.buffers("--mem=mmap:buffers")
        self.assertRegex(shown, rf"mapped \S+ rw-p .*{self.folder.name}/buffers")
        self.assertEqual((self.folder / "buffers").read_bytes(), bytes(65536), "as long as the buffers, and nothing written")
        self.assertNotIn("SYSV", self.buffers("--mem=mmap"))

    # effect: mem=mmapshared
    def test_mem_mmapshared_writes_to_the_file(self):
        shown = self.buffers("--mem=mmapshared:buffers")
        self.assertRegex(shown, rf"mapped \S+ rw-s .*{self.folder.name}/buffers")
        self.assertGreater(len(set((self.folder / "buffers").read_bytes())), 200, "the buffers' bytes are in the file")

    # effect: mem=mmaphuge mem=shmhuge hugepage-size
    def test_huge_pages_of_hugepage_size_are_requested(self):
        for mem, call in (("mmaphuge", r"mmap\(NULL, 8388608, .*MAP_HUGETLB"), ("shmhuge", r"shmget\(IPC_PRIVATE, 8388608, .*SHM_HUGETLB")):
            command = ["strace", "-f", "-e", "trace=mmap,shmget", "-o", "calls", FATHOM, "run", "--name=j", "--filename=f", "--size=64k",
                       "--rw=write", f"--mem={mem}", "--hugepage-size=8m", "--audit=off", "--clock-check=skip"]
            done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=60)
            self.assertRegex((self.folder / "calls").read_text(), call)
            if done.returncode != 0:
                self.assertIn("huge pages", done.stderr)


class Cgroup(Folder):
    def mount(self):
        for line in pathlib.Path("/proc/mounts").read_text().splitlines():
            _, folder, kind, flags = line.split()[:4]
            if kind == "cgroup2" or (kind == "cgroup" and "blkio" in flags.split(",")):
                return pathlib.Path(folder), kind == "cgroup2"
        self.skipTest("no cgroup mount")

    def setUp(self):
        super().setUp()
        if not ROOT:
            self.skipTest("cgroups are root's")
        self.top, self.v2 = self.mount()
        if not os.access(self.top, os.W_OK) or os.statvfs(self.top).f_flag & os.ST_RDONLY:
            self.skipTest(f"{self.top} cannot be written")
        self.name = f"fathom-machine-{os.getpid()}"
        self.addCleanup(lambda: (self.top / self.name).exists() and (self.top / self.name).rmdir())

    # effect: cgroup
    def test_the_job_runs_in_it_and_it_is_removed(self):
        self.assertRegex(self.looked(f"--cgroup={self.name}"), rf"(blkio|0:):?\S*/{self.name}\n")
        self.assertFalse((self.top / self.name).exists())

    # effect: cgroup_nodelete
    def test_cgroup_nodelete_leaves_it(self):
        self.run_job(f"--cgroup={self.name}", "--cgroup_nodelete=1")
        self.assertTrue((self.top / self.name).exists())
        self.run_job(f"--cgroup={self.name}")
        self.assertTrue((self.top / self.name).exists(), "who did not make it does not remove it")

    # effect: cgroup_weight
    def test_cgroup_weight_is_written_or_refused(self):
        (self.top / self.name).mkdir()
        weight = self.top / self.name / "blkio.weight"
        can = weight.exists()
        self.run_job(f"--cgroup={self.name}", "--cgroup_weight=321", status=0 if can else 4)
        if can:
            self.assertEqual(weight.read_text().split()[-1], "321")
        else:
            self.assertIn("cgroup_weight=321", self.stderr)


if __name__ == "__main__":
    unittest.main()

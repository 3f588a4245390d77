"""Two processes: `fathom nvme serve` exports the controller in software over vfio-user, and the driver of another process uses it. How it
starts and ends, what writing needs, what happens when either side goes away."""
# timeout: 600
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from nvme import ENVIRONMENT, FATHOM, Served, fathom, nvme, perf_json, wait_for


class NvmeServe(unittest.TestCase):
    def test_says_where_it_listens_and_ends_cleanly(self):
        for how in (signal.SIGTERM, signal.SIGINT):
            with Served(sockets=2) as served:
                for line, socket in zip(served.lines, served.sockets):
                    self.assertEqual(line, f"serving at {socket}: --device=vfio-user:{socket}\n")
                self.assertEqual(served.stop(how), (0, "stopped\n"))
                self.assertFalse(any(os.path.exists(s) for s in served.sockets), "the sockets are taken away")

    def test_a_file_that_has_its_name_now_stays(self):
        with Served() as served:
            os.unlink(served.sockets[0])
            with open(served.sockets[0], "w", encoding="utf-8") as f:
                f.write("a thesis")
            self.assertEqual(served.stop(signal.SIGTERM), (0, "stopped\n"))
            self.assertTrue(os.path.exists(served.sockets[0]))
            os.unlink(served.sockets[0])

    def test_mistakes_are_refused(self):
        for arguments, words in (([], "--socket"), (["--socket=/nowhere/at/all/s"], "/nowhere/at/all"), (["--socket=/tmp/x", "--soft=nosuch=1"], "nosuch"),
                                 (["--socket=/tmp/x", "--cpu=-5"], "--cpu"), (["--socket=/tmp/x", "--cpu=1023"], "--cpu=1023")):
            done = nvme("serve", *arguments)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stdout, "", "nothing is announced that does not happen")
            self.assertIn(words, done.stderr)

    def test_a_socket_in_use_is_refused(self):
        with Served() as served:
            done = nvme("serve", f"--socket={served.sockets[0]}")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(served.sockets[0], done.stderr)


class VfioUserClient(unittest.TestCase):
    def test_identify_and_log_work_over_the_socket(self):
        with Served("--soft=size=64m,bs=512") as served:
            device = f"--device=vfio-user:{served.sockets[0]}"
            document = json.loads(nvme("identify", device, "--json").stdout)
            self.assertEqual(document["namespaces"], [{"nsid": 1, "size_bytes": 64 << 20, "block_bytes": 512}])
            self.assertEqual(nvme("log", "smart", device).returncode, 0)
            self.assertEqual(served.stop(), (0, "stopped\n"))

    def test_perf_reads_over_the_socket(self):
        with Served() as served:
            done = nvme("perf", f"--device=vfio-user:{served.sockets[0]}", "--runtime=500ms", "--clock-check=skip", "--iodepth=32")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("no PCIe device took part in these rates", done.stdout)
            self.assertRegex(done.stdout, re.compile(rf"^    vfio-user:{re.escape(served.sockets[0])}\S* +\d", re.M))

    def test_one_thread_drives_two_controllers(self):
        with Served(sockets=2) as served:
            status, document = perf_json(*(f"--device=vfio-user:{s}" for s in served.sockets), "--number_ios=20000", "--iodepth=16")
            self.assertEqual(status, 0, document)
            self.assertEqual(document["fathom"]["jobs"][0]["read"]["ios"], 40000, "depth and number of I/Os are each device's")
            self.assertEqual([d["iops"] > 0 for d in document["fathom"]["jobs"][0]["queue"]["devices"]], [True, True])

    def test_two_threads_share_a_controller(self):
        with Served() as served:
            status, document = perf_json(f"--device=vfio-user:{served.sockets[0]}", "--numjobs=2", "--number_ios=5000", "--iodepth=8")
            self.assertEqual(status, 0, document)
            self.assertEqual([m["queue"]["queue_pairs"] for m in document["fathom"]["group_members"]], [1, 1])
            self.assertEqual([m["read"]["ios"] for m in document["fathom"]["group_members"]], [5000, 5000])

    def test_a_folder_in_spdks_form_finds_its_socket(self):
        folder = tempfile.mkdtemp(prefix="fathom-nvme-")
        self.addCleanup(shutil.rmtree, folder)
        server = subprocess.Popen([FATHOM, "nvme", "serve", f"--socket={folder}"], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
        self.addCleanup(server.communicate)
        self.addCleanup(server.kill)
        self.assertEqual(server.stdout.readline().split()[2], f"{folder}/cntrl:")
        done = fathom("-q", "8", "-o", "4096", "-w", "randread", "-t", "1", "-r", f"trtype:VFIOUSER traddr:{folder} subnqn:nqn.2019-07.io.spdk:cnode0",
                      program=os.path.join(os.path.dirname(FATHOM), "spdk_nvme_perf"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, re.compile(rf"^VFIOUSER \({re.escape(folder)}\) NSID 1 from .*:( +\d+\.\d\d){{5}}$", re.M))

    def test_a_second_client_is_refused_with_the_reason(self):
        with Served() as served:
            device = f"--device=vfio-user:{served.sockets[0]}"
            drivers = []

            def refused():
                """Whichever client comes first has the device: the driver is started again where identify was quicker."""
                if not drivers or drivers[-1].poll() is not None:
                    drivers.append(subprocess.Popen([FATHOM, "nvme", "perf", device, "--runtime=60", "--clock-check=skip"], stdout=subprocess.DEVNULL,
                                                    stderr=subprocess.DEVNULL, env=ENVIRONMENT))
                    self.addCleanup(drivers[-1].kill)
                return "another client is connected" in nvme("identify", device).stderr

            self.assertTrue(wait_for(refused), "identify was never refused")
            driver = drivers[-1]
            driver.kill()
            driver.wait()
            self.assertTrue(wait_for(lambda: nvme("identify", device).returncode == 0), "the next client is served")

    def test_unmapping_does_not_lose_the_admin_queue_on_a_server_with_spdks_fault(self):
        """As SPDK's target does: the health log after the job, and a second repetition, need the admin queue."""
        with Served("--soft=size=64m,fault=unmap_drops_next") as served:
            done = nvme("perf", f"--device=vfio-user:{served.sockets[0]}", "--number_ios=2000", "--iodepth=8", "--clock-check=skip", "--audit=smart",
                        "--repeat=2")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"audit: agrees: .*health log \S+ \+0\.00 %")
            self.assertNotIn("audit.lost", done.stdout)

    def test_a_device_name_with_commas_is_allowed_as_the_error_prints_it(self):
        folder = tempfile.mkdtemp(prefix="fathom-nvme-a,b-")
        self.addCleanup(shutil.rmtree, folder)
        server = subprocess.Popen([FATHOM, "nvme", "serve", f"--socket={folder}", "--soft=size=4m"], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
        self.addCleanup(server.communicate)
        self.addCleanup(server.kill)
        server.stdout.readline()
        write = [f"--device=vfio-user:{folder}", "--rw=write", "--number_ios=10", "--iodepth=1", "--clock-check=skip"]
        done = nvme("perf", *write)
        self.assertEqual(done.returncode, 2, done.stderr)
        word = re.search(r"--allow-destructive=\S+", done.stderr)[0]
        self.assertEqual(nvme("perf", *write, word).returncode, 0, word)

    def test_writing_needs_the_target_named(self):
        with Served("--soft=size=4m") as served:
            device = f"vfio-user:{served.sockets[0]}"
            write = [f"--device={device}", "--rw=write", "--verify=crc32c", "--iodepth=8"]
            done = nvme("perf", *write)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"--allow-destructive={device}", done.stderr)
            self.assertEqual(nvme("perf", *write, f"--allow-destructive={device}/ns=2").returncode, 2, "another namespace is another device")
            status, document = perf_json(*write, f"--allow-destructive={device}")
            self.assertEqual(status, 0, document)
            status, document = perf_json(*write, f"--allow-destructive={device}/ns=1")
            self.assertEqual(status, 0, "the same namespace in other words")
            self.assertEqual(document["fathom"]["jobs"][0]["write"]["bytes"], 4 << 20)

    def test_a_server_that_dies_ends_the_run_in_error(self):
        with Served() as served:
            driver = subprocess.Popen([FATHOM, "nvme", "perf", f"--device=vfio-user:{served.sockets[0]}", "--runtime=60", "--clock-check=skip"],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
            self.addCleanup(driver.kill)
            time.sleep(1.5)
            served.process.kill()
            began = time.monotonic()
            out, err = driver.communicate(timeout=50)
            self.assertLess(time.monotonic() - began, 45, "no hang")
            self.assertEqual(driver.returncode, 4, err)
            self.assertIn("err=", out, "what was measured is reported")

    def test_a_client_that_dies_leaves_the_server_for_the_next(self):
        with Served() as served:
            device = f"--device=vfio-user:{served.sockets[0]}"
            driver = subprocess.Popen([FATHOM, "nvme", "perf", device, "--runtime=60", "--clock-check=skip"], stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, env=ENVIRONMENT)
            self.addCleanup(driver.kill)
            time.sleep(1)
            driver.kill()
            driver.wait()
            self.assertTrue(wait_for(lambda: nvme("identify", device).returncode == 0), "the next client is served")
            self.assertEqual(served.stop(), (0, "stopped\n"))


if __name__ == "__main__":
    unittest.main()

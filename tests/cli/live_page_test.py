#!/usr/bin/python3
# label: browser
# timeout: 240
# cost: 35
"""--live=page over real sockets: the page and its seconds while a run goes on, the report in their place at its end; who is refused; what becomes of the process that shows it
when the run ends, is interrupted or killed. What a browser makes of it: tests/report/page/live_page_test.py."""
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import cpu_spent

FATHOM = os.path.abspath(os.environ.get("FATHOM", ""))
NULL = ["--name=t", "--ioengine=null", "--rw=randrw", "--size=1g", "--time_based", "--rate_iops=3000,3000", "--audit=off", "--clock-check=skip", "--output=out.json", "--output-format=json"]
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)(/[0-9a-f]{32}/)")
OURS = "fathom-page"


class Shown:
    """A run with a page."""

    def __init__(self, folder, *words, command="run", settings=NULL):
        self.child = subprocess.Popen([FATHOM, command, *settings, *words, "--live=page:0"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.told = ""
        while not (match := ADDRESS.search(self.told)):
            line = self.child.stderr.readline()
            if not line:
                raise AssertionError(self.told)
            self.told += line
        self.port, self.path = int(match[1]), match[2]

    def ask(self, path, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text, dict(answer.getheaders())

    def seconds(self, after=0):
        return json.loads(self.ask(f"{self.path}seconds?after={after}")[1])

    def until(self, enough, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            told = self.seconds()
            if enough(told):
                return told
            time.sleep(0.05)
        raise AssertionError(f"not within {seconds} s: {told}")

    def server(self):
        return [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and self.is_server(pid)]

    def is_server(self, pid):
        try:
            return pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == OURS and f"127.0.0.1:{self.port}" in ends_of(pid)
        except OSError:
            return False

    def end(self):
        self.told += self.child.stderr.read()
        self.child.stderr.close()
        return self.child.wait(timeout=30)


def ends_of(pid):
    """Where it listens: the kernel's table by the sockets that it has."""
    mine = set()
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            match = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(f"/proc/{pid}/fd/{fd}"))
        except FileNotFoundError:  # the connection of an answer, closed since
            continue
        if match:
            mine.add(match[1])
    ends = []
    for row in pathlib.Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]:
        fields = row.split()
        if fields[3] == "0A" and fields[9] in mine:
            address, port = fields[1].split(":")
            ends.append(f"{'.'.join(str(byte) for byte in reversed(bytes.fromhex(address)))}:{int(port, 16)}")
    return ends


def look(run, over):
    """As the page does, and twice as often."""
    next_one = 0
    while not over.wait(0.5):
        next_one = run.seconds(after=next_one)["next"]


class LivePage(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def shown(self, *words, **how):
        run = Shown(self.folder, *words, **how)
        self.addCleanup(lambda: (run.child.kill(), run.child.wait(), run.child.stderr.close()))
        return run

    def test_it_follows_the_run_and_becomes_its_report(self):
        run = self.shown("--runtime=3.3")
        status, text, headers = run.ask(run.path)
        self.assertEqual(status, 200)
        self.assertTrue("<title>t</title>" in text)
        self.assertTrue("; connect-src &#39;self&#39;" in text)
        self.assertEqual(headers["Cache-Control"], "no-store")
        told = run.until(lambda told: len(told["seconds"]) >= 2)
        self.assertEqual([round(s["elapsed_s"]) for s in told["seconds"][:2]], [1, 2])
        self.assertGreater(told["seconds"][1]["read"]["ios"], told["seconds"][0]["read"]["ios"])
        self.assertFalse(told["done"])
        self.assertEqual(run.seconds(after=told["next"] - 1)["seconds"], told["seconds"][-1:])
        last = run.until(lambda told: told["done"])
        self.assertTrue(last["page"])
        status, text, _ = run.ask(run.path)
        self.assertEqual((status, run.end()), (200, 0))
        self.assertTrue(json.loads((self.folder / "out.json").read_text())["fathom"]["run_id"] in text)
        self.assertFalse("connect-src" in text, "a report asks for nothing")
        self.assertEqual(run.server(), [])

    def test_only_the_page_itself_is_answered(self):
        run = self.shown("--runtime=5")
        here = f"127.0.0.1:{run.port}"
        for path, headers, status in (("/", {}, 404), ("/" + 32 * "0" + "/", {}, 404), (run.path[:-2] + "/", {}, 404), (run.path + "x", {}, 404), ("/seconds", {}, 404),
                                      (run.path, {"Host": "evil.example"}, 403), (run.path, {"Origin": "http://evil.example"}, 403), (run.path, {"Origin": "null"}, 403),
                                      (run.path + "seconds", {"Origin": f"http://127.0.0.1:{run.port + 1}"}, 403), (run.path + "seconds", {"Origin": f"http://{here}"}, 200)):
            with self.subTest(path=path, **headers):
                seen, text, _ = run.ask(path, **headers)
                self.assertEqual(seen, status)
                if status != 200:
                    self.assertNotIn("<", text)
        self.assertEqual(run.ask(run.path, "POST")[0], 405)
        self.assertEqual(run.ask(run.path, "OPTIONS", Origin="http://evil.example")[0], 403)
        self.assertEqual(run.ask(run.path, "HEAD")[1], "")
        [server] = run.server()
        self.assertEqual(ends_of(server), [here], "no other address of the machine")
        self.assertEqual(sorted(os.readlink(f"/proc/{server}/fd/{fd}") for fd in "012"), 3 * ["/dev/null"])
        run.child.send_signal(signal.SIGINT)
        self.assertEqual(run.end(), 130)

    def test_nobody_waits_for_whoever_does_not_look(self):
        run = self.shown("--runtime=1")
        begin = time.monotonic()
        self.assertEqual(run.end(), 0)
        self.assertLess(time.monotonic() - begin, 3)
        self.assertEqual(run.server(), [])

    def test_who_looked_and_does_not_come_for_the_report_is_waited_for_some_seconds(self):
        run = self.shown("--runtime=1")
        run.ask(run.path)
        self.assertEqual(run.end(), 0)
        self.assertEqual(run.server(), [])

    def test_browsers_that_hang_cost_the_run_nothing(self):
        run = self.shown("--runtime=3")
        hanging = [socket.create_connection(("127.0.0.1", run.port)) for _ in range(200)]
        for one in hanging[::2]:
            one.sendall(f"GET {run.path} HTTP/1.1\r\nHost: 127.0.0.1\r\n".encode())
        for one in hanging[1::2]:
            one.sendall(f"GET {run.path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())  # and read nothing
        self.assertEqual(len(run.until(lambda told: len(told["seconds"]) >= 2)["seconds"][:2]), 2)
        self.assertEqual(run.end(), 0)
        for one in hanging:
            one.close()
        self.assertGreater(json.loads((self.folder / "out.json").read_text())["fathom"]["jobs"][0]["read"]["ios"], 0)

    def test_ctrl_c_reaches_the_run_and_the_page_has_its_report(self):
        run = self.shown("--runtime=30")
        run.until(lambda told: told["seconds"])
        for pid in (run.child.pid, *run.server()):  # as a terminal does
            os.kill(pid, signal.SIGINT)
        self.assertTrue(run.until(lambda told: told["done"])["page"])
        self.assertTrue("interrupted" in run.ask(run.path)[1])
        self.assertEqual(run.end(), 130)

    def test_a_run_that_is_killed_leaves_no_process(self):
        run = self.shown("--runtime=30")
        run.until(lambda told: told["seconds"])
        run.child.kill()
        told = run.until(lambda told: told["done"])
        self.assertFalse(told["page"])
        self.assertTrue(told["seconds"])
        end = time.monotonic() + 10
        while run.server() and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(run.server(), [])

    def test_a_page_that_is_stopped_or_killed_costs_the_run_nothing(self):
        for signum in (signal.SIGSTOP, signal.SIGKILL):
            with self.subTest(signum=signum):
                run = self.shown("--runtime=1.5")
                run.ask(run.path)
                os.kill(run.server()[0], signum)
                self.assertEqual(run.end(), 0)
                self.assertEqual(run.server(), [])

    def test_it_costs_less_than_a_two_hundredth_of_a_cpu_while_it_is_looked_at(self):
        spent = []
        for _ in range(3):
            run = self.shown("--runtime=7", "--numjobs=2")
            run.ask(run.path)  # it is there then, with its name
            [server] = run.server()
            over = threading.Event()
            looking = threading.Thread(target=look, args=(run, over))
            looking.start()
            spent += cpu_spent.share([server, run.child.pid])
            over.set()
            looking.join()
            self.assertGreaterEqual(len(run.seconds()["seconds"]), 4)
            run.child.send_signal(signal.SIGINT)
            self.assertEqual(run.end(), 130)
            if max(spent[-2:]) <= cpu_spent.MOST_OF_WATCHING:
                return
        self.fail(f"the page's process and the run's parent used of a CPU, in turn: {cpu_spent.told(spent)}")

    def test_mistakes_are_told_before_the_run(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            for live, what in ((f"page:{port}", "Address already in use"), ("page", "a port is missing"), ("page:", "a port is missing"), ("page:x", "not a port"),
                               ("page:65536", "not a port"), ("page:-1", "not a port")):
                done = subprocess.run([FATHOM, "run", *NULL, "--runtime=9", f"--live={live}"], cwd=self.folder, capture_output=True, text=True, timeout=20)
                self.assertEqual(done.returncode, 2, live)
                self.assertIn(what, done.stderr)

    def test_memory_and_a_sweep_are_followed_too(self):
        memory = self.shown("--map=32m", "--set=32m", "--duration=2.5", "--audit=off", "--output=out.txt", command="paging", settings=())
        told = memory.until(lambda told: told["seconds"] and told["seconds"][-1]["phase"] == "measuring")
        self.assertGreater(told["seconds"][-1]["accesses_per_s"], 0)
        self.assertTrue(memory.until(lambda told: told["done"])["page"])
        self.assertTrue('"paging"' in memory.ask(memory.path)[1])
        self.assertEqual(memory.end(), 0)
        (self.folder / "job.fio").write_text("[a]\nioengine=null\nrw=randread\nsize=1g\ntime_based\nruntime=1.3\n")
        sweep = self.shown("job.fio", "--over=iodepth=1,4", "--repeat=1", "--refine=0", "--output=s.txt", "--run-option=--audit=off", "--run-option=--clock-check=skip", command="sweep",
                           settings=())
        seconds = sweep.until(lambda told: len({s["run"] for s in told["seconds"]}) == 2)["seconds"]
        times = [s["sweep_elapsed_s"] for s in seconds]
        self.assertEqual(times, sorted(times))
        self.assertEqual({s["run"] + s["runs_left"] for s in seconds}, {3}, "two loads, and the first once more")
        self.assertTrue(all(s["setting"].startswith("iodepth=") and s["read"]["ios"] > 0 for s in seconds))
        self.assertTrue(sweep.until(lambda told: told["done"])["page"])
        self.assertTrue("Sweep of job.fio" in sweep.ask(sweep.path)[1])
        self.assertEqual(sweep.end(), 0)


if __name__ == "__main__":
    unittest.main()

# label: test
# timeout: 600
# cost: 20
"""Places and situations of outputs and inputs that are not in the table (output_table_test.py): what cannot be renamed, what others own, what fails
before it starts, signals that were ignored at the start, and the memory that an endless input costs."""
import ctypes
import os
import pty
import re
import resource
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time
import unittest

FATHOM = os.environ["FATHOM"]
SIM = [FATHOM, "run", "--name=x", "--ioengine=sim", "--rw=randread", "--size=1m", "--number_ios=20", "--eta=never", "--clock-check=skip", "--audit=off"]
OURS = "  measured randread, 4 KiB, sim, 2 ms\n  checks   passed\n"
NOBODY = 65534
LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS = 0x20000


def own_mounts():
    """In the child: mounts of its own, that end with it."""
    if LIBC.unshare(CLONE_NEWNS) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)


def call(*argv, **how):
    return subprocess.run([str(word) for word in argv], capture_output=True, text=True, timeout=60, check=False, **how)


class Places(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(dir=os.environ["FATHOM_BUILD"])
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def file(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        return self.path(name)

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return f.read()

    def root(self):
        if os.geteuid() != 0:
            self.skipTest("needs root")

    def test_a_bind_mounted_file_is_written_in_place(self):
        self.root()
        self.file("target", OURS)
        self.file("mounted", OURS)
        script = 'mount --bind "$1/target" "$1/mounted" && shift && exec "$@"'
        done = call("/bin/sh", "-c", script, "sh", self.folder, *SIM, f"--output={self.path('mounted')}", preexec_fn=own_mounts)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("measured", self.text("target"))
        self.assertNotEqual(self.text("target"), OURS)
        self.assertEqual(sorted(os.listdir(self.folder)), ["mounted", "target"])

    def test_without_write_permission_on_the_directory_it_is_written_in_place(self):
        self.root()
        self.file("report", OURS)
        os.chmod(self.folder, 0o755)
        os.chown(self.path("report"), NOBODY, NOBODY)
        if call("/bin/sh", "-c", f"test -x '{FATHOM}' && test -r '{self.path('report')}'", user=NOBODY, group=NOBODY).returncode != 0:
            self.skipTest("another user cannot reach the build")
        done = call(*SIM, f"--output={self.path('report')}", user=NOBODY, group=NOBODY, extra_groups=[], cwd="/")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotEqual(self.text("report"), OURS)
        self.assertEqual(os.listdir(self.folder), ["report"])

    def test_owner_and_acl_are_kept(self):
        self.root()
        self.file("report", OURS)
        os.chown(self.path("report"), NOBODY, NOBODY)
        user, group, mask, named, other = 0x01, 0x04, 0x10, 0x02, 0x20
        anyone = 0xFFFFFFFF
        acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in (
            (user, 6, anyone), (named, 4, 12345), (group, 4, anyone), (mask, 4, anyone), (other, 0, anyone)))
        try:
            os.setxattr(self.path("report"), "system.posix_acl_access", acl)
        except OSError:
            self.skipTest("the file system has no ACLs")
        done = call(*SIM, f"--output={self.path('report')}")
        self.assertEqual(done.returncode, 0, done.stderr)
        facts = os.stat(self.path("report"))
        self.assertNotEqual(self.text("report"), OURS)
        self.assertEqual((facts.st_uid, facts.st_gid, stat.S_IMODE(facts.st_mode)), (NOBODY, NOBODY, 0o640))
        self.assertEqual(os.getxattr(self.path("report"), "system.posix_acl_access"), acl)

    def test_a_terminal_is_written_to(self):
        ours, theirs = pty.openpty()
        name = os.ttyname(theirs)
        before = os.stat(name)
        done = call(*SIM, f"--output={name}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"measured", os.read(ours, 65536))
        self.assertEqual((os.stat(name).st_rdev, os.stat(name).st_mode), (before.st_rdev, before.st_mode))
        os.close(ours)
        os.close(theirs)

    def test_what_cannot_start_leaves_the_old_output(self):
        words = [FATHOM, "run", "--name=x", "--ioengine=psync", "--rw=read", "--size=4k", "--filename=absent", "--allow_file_create=0", "--eta=never"]
        for name, argv in (("live", [*words, f"--live=json:{self.path('live')}"]), ("log_bw.1.log", [*words, f"--write_bw_log={self.path('log')}"]),
                           ("counts", [FATHOM, "pmu", "stat", "-e", "task-clock", "-o", self.path("counts"), "/nonexistent/command"])):
            old = OURS if name == "live" else " Performance counter stats for 'true':\n" if name == "counts" else "1, 2, 0, 4096, 0\n"
            self.file(name, old)
            done = call(*argv)
            self.assertNotEqual(done.returncode, 0, argv)
            self.assertEqual(self.text(name), old, f"{argv}: {done.stderr}")

    def test_metrics_keep_a_link_and_a_users_file(self):
        words = [*SIM, "--ioengine=null", "--time_based", "--runtime=300ms"]
        os.symlink(self.path("made"), self.path("link"))
        done = call(*words, f"--live=metrics:{self.path('link')}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(os.path.islink(self.path("link")))
        self.file("mine", "127.0.0.1 localhost\n")
        done = call(*words, f"--live=metrics:{self.path('mine')}")
        self.assertEqual(done.returncode, 2, done.stderr)
        done = call(*words, "--live=metrics:/dev/null")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode), "a device is not removed")
        self.assertEqual(self.text("mine"), "127.0.0.1 localhost\n")

    def test_a_device_node_is_not_removed(self):
        self.root()
        os.mknod(self.path("node"), 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        for words in (["--ioengine=filedelete"], ["--ioengine=psync", "--unlink=1"]):
            call(FATHOM, "run", "--name=x", *words, "--rw=read", "--size=4k", "--bs=4k", f"--filename={self.path('node')}", "--eta=never")
            self.assertTrue(stat.S_ISCHR(os.lstat(self.path("node")).st_mode), words)

    def test_dumps_of_blocks_are_their_owners(self):
        words = [FATHOM, "run", "--name=x", "--ioengine=psync", "--bs=4k", "--size=16k", "--filename=target", "--verify=crc32c", "--eta=never", "--audit=off"]
        call(*words, "--rw=write", "--do_verify=0", cwd=self.folder)
        with open(self.path("target"), "r+b") as f:
            f.seek(8300)
            f.write(b"damaged")
        call(*words, "--rw=read", "--verify_dump=1", cwd=self.folder)
        dumps = [name for name in os.listdir(self.folder) if name.endswith(("received", "expected"))]
        self.assertTrue(dumps)
        self.assertEqual({stat.S_IMODE(os.stat(self.path(name)).st_mode) for name in dumps}, {0o600})

    def test_the_image_of_a_loop_device_is_not_overwritten(self):
        self.root()
        with open(self.path("image"), "wb") as f:
            f.truncate(16 << 20)
        loop = call("losetup", "--show", "-f", self.path("image")).stdout.strip()
        if not loop:
            self.skipTest("no loop device can be made")
        try:
            done = call(FATHOM, "paging", f"--memory=file-shared:{self.path('image')}", "--overwrite-file", "--map=4m", "--set=4m", "--duration=100ms", "--eta=never")
            self.assertEqual((done.returncode, os.path.basename(loop) in done.stderr), (2, True), done.stderr)
            words = [FATHOM, "run", "--name=x", "--ioengine=psync", "--rw=write", "--size=64k", f"--filename={self.path('image')}", "--eta=never"]
            done = call("/bin/sh", "-c", 'mount -t tmpfs none /sys && exec "$@"', "sh", *words, preexec_fn=own_mounts)
            self.assertEqual((done.returncode, os.path.basename(loop) in done.stderr), (2, True), f"without /sys: {done.stdout}{done.stderr}")
        finally:
            call("losetup", "-d", loop)
        with open(self.path("image"), "rb") as f:
            self.assertEqual(f.read().count(b"\0"), 16 << 20)

    @unittest.skipIf(os.environ.get("FATHOM_SANITIZE"), "the memory of a sanitizer")
    def test_an_endless_input_costs_no_memory(self):
        self.file("zero.fio", "[global]\ninclude /dev/zero\n")
        for argv in (["run", "/dev/zero"], ["run", self.path("zero.fio")], ["run", "--inflate-log=/dev/zero"], ["report", "/dev/zero"]):
            child = subprocess.Popen([FATHOM, *argv], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            status, used = os.wait4(child.pid, 0)[1:]
            child.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(child.returncode, 2, argv)
            self.assertLess(used.ru_maxrss, 64 << 10, argv)
            self.assertLess(used.ru_utime + used.ru_stime, 1, argv)

    def test_a_hang_up_that_was_ignored_stays_ignored(self):
        argv = [*SIM, "--ioengine=null", "--time_based", "--runtime=600ms", f"--output={self.path('out')}"]
        child = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        time.sleep(0.2)
        child.send_signal(signal.SIGHUP)
        self.assertEqual(child.wait(30), 0, child.stderr.read())
        child.stderr.close()
        self.assertIn("measured", self.text("out"))

    def test_a_paging_run_goes_on_after_its_status_was_asked_for(self):
        argv = [FATHOM, "paging", "--map=4m", "--set=4m", "--duration=1s", "--eta=never", f"--output={self.path('out')}"]
        child = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while not self.catches(child, signal.SIGUSR1):
            self.assertIsNone(child.poll(), "it ended before it could be asked")
            time.sleep(0.01)
        child.send_signal(signal.SIGUSR1)
        said = child.communicate(timeout=30)[1]
        self.assertEqual(child.returncode, 0, said)
        self.assertIn("measured", self.text("out"))

    def catches(self, child, number):
        with open(f"/proc/{child.pid}/status", encoding="utf-8") as f:
            caught = int(re.search(r"^SigCgt:\s*(\w+)$", f.read(), re.M).group(1), 16)
        return caught >> (number - 1) & 1

    def test_a_forbidden_system_call_is_named_as_that(self):
        clone3, allow, eperm = 435, 0x7FFF0000, 0x00050001
        if os.uname().machine != "x86_64":
            self.skipTest("the number of a system call")
        code = b"".join(struct.pack("HBBI", *one) for one in ((0x20, 0, 0, 0), (0x15, 0, 1, clone3), (0x06, 0, 0, eperm), (0x06, 0, 0, allow)))
        held = ctypes.create_string_buffer(code)
        program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(held)))

        def forbid():
            LIBC.prctl(38, 1, 0, 0, 0)
            if LIBC.prctl(22, 2, program) != 0:
                os._exit(99)

        done = call(FATHOM, "paging", "--map=4m", "--set=4m", "--duration=100ms", "--eta=never", preexec_fn=forbid)
        if done.returncode == 99:
            self.skipTest("no seccomp here")
        self.assertIn("seccomp", done.stderr)
        self.assertNotIn("ulimit", done.stderr)

    def test_a_cleanup_that_cannot_look_does_not_say_that_nothing_was_left(self):
        self.root()
        if call("/bin/sh", "-c", f"test -x '{FATHOM}'", user=NOBODY, group=NOBODY).returncode != 0:
            self.skipTest("another user cannot reach the build")
        script = f"""mount -t tmpfs none /run && mkdir -m 700 -p /run/fathom/paging && chmod 700 /run/fathom &&
                     exec setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups "$@\""""
        done = call("/bin/sh", "-c", script, "sh", FATHOM, "paging", "cleanup", preexec_fn=own_mounts)
        self.assertNotIn("nothing to clean up", done.stdout)
        self.assertIn("Permission denied", done.stdout + done.stderr)
        done = call("/bin/sh", "-c", script.replace("-m 700", "-m 755").replace("chmod 700", "chmod 755"), "sh", FATHOM, "paging", "cleanup", preexec_fn=own_mounts)
        self.assertIn("nothing to clean up", done.stdout, "a directory that can be read, and is empty")


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.exit(unittest.main())

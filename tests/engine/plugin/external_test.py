"""ioengine=external:PATH: an engine that is built here, outside the tree, with the C compiler and the header alone. It performs and verifies I/Os, a
batch costs one call, and what it cannot do is refused before the start. A file that is no engine of fathom is one clear error, and none of its code runs."""
# label: test
# cost: 20
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

FATHOM = os.environ["FATHOM"]
SOURCE = pathlib.Path(os.environ["FATHOM_SOURCE"])
FIO_PLUGIN = """
extern int register_ioengine(void *);
struct { int x; } ioengine;
const char *of = "%s";
__attribute__((constructor)) static void begin(void) { register_ioengine(&ioengine); }
"""


def setUpModule():
    global FOLDER
    if shutil.which("cc") is None:
        print("skipped: no C compiler")
        sys.exit(77)
    unittest.addModuleCleanup((folder := tempfile.TemporaryDirectory(prefix="fathom-external-")).cleanup)
    FOLDER = pathlib.Path(folder.name)
    shutil.copy(SOURCE / "include/fathom_engine.h", FOLDER)
    shutil.copy(SOURCE / "examples/engine/memory.c", FOLDER)
    shutil.copy(SOURCE / "tests/engine/plugin/odd_engine.c", FOLDER)
    build("memory.so", "memory.c")
    build("odd.so", "odd_engine.c")


def build(name, source, *more):
    subprocess.run(["cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-O2", "-I.", "-o", name, source, *more], cwd=FOLDER, check=True)
    return FOLDER / name


def built_from(name, text, *more):
    (FOLDER / f"{name}.c").write_text(text)
    return build(name, f"{name}.c", *more)


def run(engine, *words, job=("--filename=ram",), **more):
    return subprocess.run([FATHOM, "run", "--name=t", f"--ioengine=external:{engine}", *job, "--bs=4k", "--clock-check=skip", "--output-format=json", *words],
                          cwd=FOLDER, capture_output=True, text=True, timeout=60, **more)


def document(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout[done.stdout.index("{"):])["fathom"]


class Works(unittest.TestCase):
    def totals(self, done):
        job, = document(done)["jobs"]
        self.assertEqual(job["error"], 0)
        return job

    # effect: plugin_options
    def test_writes_are_read_back_and_verified(self):
        for name in ("memory.so", "./memory.so", str(FOLDER / "memory.so")):
            job = self.totals(run(name, "--plugin_options=size=8m", "--rw=randwrite", "--verify=crc32c", "--iodepth=16"))
            self.assertEqual(job["write"]["ios"], 2048)
            self.assertEqual(job["write"]["bytes"], 8 << 20)

    def test_the_size_is_the_targets(self):
        job = self.totals(run("memory.so", "--plugin_options=size=1m", "--rw=read"))
        self.assertEqual(job["read"]["bytes"], 1 << 20)

    def test_a_missing_file_is_filled_before_it_is_read(self):
        words = ("--plugin_options=size=2m,facts=file", "--size=1m", "--iodepth=4")
        read = document(run("odd.so", *words, "--rw=read"))
        self.assertEqual(([(made["files"], made["bytes"]) for made in read["layouts"]], read["jobs"][0]["read"]["bytes"]), ([(1, 1 << 20)], 1 << 20))
        self.assertEqual(document(run("odd.so", *words, "--rw=write"))["jobs"][0]["write"]["bytes"], 1 << 20)  # the engine makes it
        refused = run("odd.so", *words, "--rw=read", "--allow_file_create=0")
        self.assertIn("the file is missing", refused.stdout + refused.stderr)

    def test_names_may_be_urls(self):
        for names, count in (("x://h:1/a:b", 1), ("x://h:1/a:x://h:2/b", 2), ("a:b:c", 3)):
            self.assertEqual(document(run("memory.so", "--plugin_options=size=1m", "--rw=read", job=(f"--filename={names}",)))["jobs"][0]["read"]["bytes"], count << 20, names)

    def test_a_batch_costs_one_call(self):
        calls = FOLDER / "calls"
        self.totals(run("odd.so", f"--plugin_options=size=16m,calls={calls}", "--rw=randread", "--iodepth=32", "--iodepth_batch=32",
                        "--iodepth_batch_complete_min=32", "--iodepth_batch_complete_max=32"))
        self.assertEqual(calls.read_text().split(), ["128", "128", "4096"])

    def test_requests_that_were_not_taken_are_given_again(self):
        for take in (1, 3, 7):
            for batch in ((), ("--iodepth_batch=16",)):
                calls = FOLDER / "calls"
                job = self.totals(run("odd.so", f"--plugin_options=size=1m,take={take},calls={calls}", "--rw=randwrite", "--verify=crc32c", "--iodepth=16", *batch))
                self.assertEqual(job["write"]["ios"], 256)
                self.assertEqual(calls.read_text().split()[2], "512")

    def test_the_flush_at_the_end_is_a_request(self):
        calls = FOLDER / "calls"
        for words, requests in ((), 256), (("--end_fsync=1",), 257), (("--fsync_on_close=1",), 257), (("--fsync=64",), 259):
            self.totals(run("odd.so", f"--plugin_options=size=1m,facts=sync,calls={calls}", "--rw=write", *words))
            self.assertEqual(calls.read_text().split()[2], str(requests), words)


class Refusals(unittest.TestCase):
    def refused(self, what, cause, help_, engine, *words, **more):
        done = run(engine, *words, **more)
        self.assertNotEqual(done.returncode, 0)
        self.assertGreater(done.returncode, 0, "killed by a signal")
        for part in (what, cause, help_):
            self.assertIn(part, done.stderr)
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)

    def test_what_the_target_cannot_do(self):
        def facts(fact):
            return f"--plugin_options=size=1m,facts={fact}"
        for what, cause, words in (
                ("rw=write", "read-only", (facts("readonly"), "--rw=write")),
                ("fsync=", "does not offer flush", (facts(""), "--rw=write", "--fsync=1")),
                ("end_fsync=", "does not offer flush", (facts(""), "--rw=write", "--end_fsync=1")),
                ("sync=", "FUA", (facts(""), "--rw=write", "--sync=1")),
                ("sync_file_range=", "not a file", (facts("sync"), "--rw=write", "--sync_file_range=write:8")),
                ("bs=16384", "at most 8192 bytes", (facts("largest"), "--rw=write", "--bs=16k")),
                ("bs=4097", "blocks of 512 bytes", (facts(""), "--rw=write", "--bs=4097")),
                ("iodepth=5", "4 requests in flight", (facts("flight"), "--rw=read", "--iodepth=5")),
                ("aligned to 1048576", "aligned to 4096", (facts("aligned"), "--rw=read")),
                ("io_submit_mode=offload", "only one at a time", (facts("queues"), "--rw=read", "--iodepth=2", "--io_submit_mode=offload")),
        ):
            with self.subTest(words=words):
                self.refused(what, cause, "help:", "odd.so", *words)

    def test_a_second_job_on_a_target_with_one_queue(self):
        done = run("odd.so", "--plugin_options=size=1m,facts=queues", "--rw=read", "--numjobs=2")
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
        self.assertIn("one connection too many for `ram`", done.stderr)
        self.assertIn("permits 1 at the same time", done.stderr)
        jobs = json.loads(done.stdout[done.stdout.index("{"):])["fathom"]["jobs"]
        self.assertEqual([job["read"]["bytes"] for job in jobs if job["error"] == 0], [1 << 20])

    def test_an_inefficient_block_size_is_a_note(self):
        done = run("odd.so", "--plugin_options=size=1m,facts=preferred", "--rw=read")
        self.assertIn("preferred block size", done.stdout)

    def test_an_engine_that_fails(self):
        self.refused("cannot open `ram`", "the odd server refuses this client", "ask the odd administrator", "odd.so", "--plugin_options=fail=open", "--rw=read")
        self.refused("cannot look at `ram`", "no server at odd://nowhere", "start the odd server", "odd.so", "--plugin_options=fail=look_at", "--rw=read")
        self.refused("cannot look at `ram`", "Broken pipe", "", "odd.so", "--plugin_options=fail=FAIL_WITHOUT_CAUSE", "--rw=read")

    def test_files_that_are_no_engine(self):
        (FOLDER / "text.so").write_text("not a library\n")
        built_from("empty.so", "int nothing;\n")
        self.refused("ioengine=external", "No such file", "name the shared object", "nowhere.so", "--rw=read")
        self.refused("cannot be loaded", "is not a shared object", "cc -shared", "text.so", "--rw=read")
        self.refused("cannot be loaded", "does not define `fathom_io_engine`", "fathom_engine.h", "empty.so", "--rw=read")
        self.refused("cannot be loaded", "is not a regular file", "", "/dev/null", "--rw=read")
        self.refused("names no file", "", "ioengine=external:PATH", "", "--rw=read")

    def test_another_version_of_the_interface(self):
        text = (FOLDER / "memory.c").read_text()
        built_from("newer.so", text.replace("    FATHOM_ENGINE_VERSION", "    FATHOM_ENGINE_VERSION + 1"))
        built_from("smaller.so", text.replace("sizeof(struct fathom_engine)", "sizeof(struct fathom_engine) - 8"))
        built_from("lacks.so", text.replace("submit, reap", "submit, NULL"), "-Wno-unused-function")
        for name in ("newer.so", "smaller.so"):
            self.refused("cannot be loaded", "was built for version", "build it again", name, "--rw=read")
        self.refused("cannot be loaded", "lacks a function", "explain", "lacks.so", "--rw=read")

    def test_plug_ins_of_fio_and_spdk(self):
        built_from("fio.so", FIO_PLUGIN % "fio")
        built_from("spdk.so", FIO_PLUGIN % "spdk_nvme_probe")
        self.refused("cannot be loaded", "plug-in of fio", "fathom_engine.h", "fio.so", "--rw=read")
        self.refused("cannot be loaded", "plug-in of SPDK for fio", "ioengine=nvme", "spdk.so", "--rw=read")

    def test_a_missing_library(self):
        built_from("libodd.so", "int odd_number(void) { return 7; }\n")
        text = (FOLDER / "memory.c").read_text().replace("static int refuse", "extern int odd_number(void);\nint use(void) { return odd_number(); }\nstatic int refuse")
        built_from("needs.so", text, "-L.", "-lodd")
        os.unlink(FOLDER / "libodd.so")
        self.refused("cannot be loaded", "libodd.so: cannot open shared object file", "install the library", "needs.so", "--rw=read")

    def test_without_a_target(self):
        self.refused("has nothing to do", "filename=", "add filename=", "memory.so", "--rw=read", job=())

    def test_options_that_are_no_pairs(self):
        self.refused("plugin_options", "not NAME=VALUE", "size=64m", "memory.so", "--plugin_options=size", "--rw=read")


if __name__ == "__main__":
    unittest.main()

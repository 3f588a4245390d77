"""ioengine=http against apache2 (WebDAV), OpenStack Swift (its own protocol, and S3 by its s3api), and a server that compares signatures with botocore's: the server's
count of requests and bytes equals what the run counted, for each kind. Errors of the server and its end are data. No verdict depends on time."""
# label: network
# cost: 120
# timeout: 600
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import apache_server
import signed_server
import swift_server
from apache_server import Counted, apache
from signed_server import signed_server as s3_server

FATHOM = os.environ["FATHOM"]
PLUGIN = pathlib.Path(os.environ["FATHOM_BUILD"], "fathom_http.so")
MIB = 1 << 20
ODD_NAME = "/box/a b+c%d&e=f?g#h;i~j'k(l)*m!n@o$p,q\u00fc[r]"


def setUpModule():
    if not PLUGIN.exists():
        print("skipped: the engine was built without libcurl4-openssl-dev")
        sys.exit(77)


def command(server, *words, name="/o"):
    return [FATHOM, "run", "--name=t", "--ioengine=http", f"--http_host={server.host}", f"--filename={name}", "--bs=4k", "--size=256k", "--clock-check=skip",
            "--output-format=json", *words]


def run(server, *words, **more):
    return subprocess.run(command(server, *words, **more), capture_output=True, text=True, timeout=120)


def document(text):
    return json.loads(text[text.index("{"):])["fathom"]


def passed(server, *words, **more):
    done = run(server, *words, **more)
    assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stderr}"
    return document(done.stdout)


def ours(result):
    """{method: requests, bytes} of all jobs; a trim has no bytes on the wire."""
    jobs, sums = result["jobs"], {}
    for kind, method in (("read", "GET"), ("write", "PUT"), ("trim", "DELETE")):
        ios = sum(job[kind]["ios"] for job in jobs if kind in job)
        if ios:
            sums[method] = Counted(ios, 0 if kind == "trim" else sum(job[kind]["bytes"] for job in jobs if kind in job))
    return sums


KINDS = (("--rw=write",), ("--rw=read",), ("--rw=randrw", "--rwmixread=30"), ("--rw=randwrite", "--bsrange=512-16k"), ("--rw=trimwrite",), ("--rw=randtrim",))


@unittest.skipIf(apache_server.APACHE is None, "apache2 is not installed")
class WebDav(unittest.TestCase):
    def assert_counts_agree(self, server, result, before=None):
        mine = ours(result)
        theirs = server.counted(sum(count.requests for count in mine.values()) + (before or 0))
        self.assertEqual(theirs, mine)
        self.assertEqual(sum(job["error"] for job in result["jobs"]), 0)

    # effect: http_host
    # effect: http_mode=webdav
    def test_requests_and_bytes_of_each_kind(self):
        for depth in (1, 32):
            with apache() as server:
                passed(server, "--rw=write")
                for words in KINDS:
                    with self.subTest(words=words, depth=depth):
                        (server.folder / "log").write_text("")
                        read = "--http_missing=zeros" if "randrw" in words[0] else "--http_missing=error"
                        self.assert_counts_agree(server, passed(server, *words, read, f"--iodepth={depth}"))

    def test_each_request_in_flight_has_a_connection_that_stays_open(self):
        for depth in (1, 16):
            with apache() as server:
                passed(server, "--rw=write", "--size=1m", f"--iodepth={depth}")
                server.counted(256)
                self.assertLessEqual(server.connections(), depth)

    def test_a_server_that_closes_connections(self):
        with apache(keep_alive=7) as server:
            self.assert_counts_agree(server, passed(server, "--rw=randwrite", "--iodepth=8"))
            self.assertGreaterEqual(server.connections(), 256 // 4 // 8)

    def test_what_was_written_is_verified(self):
        with apache() as server:
            result = passed(server, "--rw=randwrite", "--verify=crc32c", "--iodepth=16", "--bsrange=4k-16k")
            self.assertEqual(result["jobs"][0]["write"]["bytes"], 256 << 10)
            self.assert_counts_agree(server, result)

    def test_damage_is_found(self):
        with apache() as server:
            passed(server, "--rw=write", "--verify=crc32c", "--do_verify=0")
            damaged = server.objects / "o_8192_4096"
            damaged.write_bytes(b"\xff" + damaged.read_bytes()[1:])
            done = run(server, "--rw=read", "--verify=crc32c")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("verify", done.stdout + done.stderr)

    def test_objects_are_named_as_by_fio(self):
        with apache() as server:
            passed(server, "--rw=write", "--size=12k", "--offset=4k", "--buffer_pattern=0xab")
            self.assertEqual({path.name: path.read_bytes() for path in server.objects.iterdir()}, {f"o_{at}_4096": b"\xab" * 4096 for at in (4096, 8192, 12288)})
            passed(server, "--rw=trim", "--size=12k", "--offset=4k")
            self.assertEqual(list(server.objects.iterdir()), [])

    def test_names_of_jobs_and_files(self):
        with apache() as server:
            (server.objects / "a").mkdir(mode=0o777)
            (server.objects / "a").chmod(0o777)
            words = [word for word in command(server, "--rw=write", "--size=8k", "--numjobs=2", "--filename_format=/a/x.$jobnum") if not word.startswith("--filename=")]
            self.assertEqual(subprocess.run(words, capture_output=True, timeout=60).returncode, 0)
            self.assertEqual(sorted(path.name for path in (server.objects / "a").iterdir()), ["x.0_0_4096", "x.0_4096_4096", "x.1_0_4096", "x.1_4096_4096"])
            passed(server, "--rw=write", "--size=16k", name="/a/m:/a/n")
            self.assertEqual(len(list((server.objects / "a").glob("[mn]_*"))), 4)

    def test_a_path_in_the_host(self):
        with apache() as server:
            (server.objects / "p").mkdir()
            (server.objects / "p").chmod(0o777)
            passed(server, "--rw=write", "--size=4k", f"--http_host={server.host}/p/")
            self.assertEqual([path.name for path in (server.objects / "p").iterdir()], ["o_0_4096"])

    def test_names_with_any_character(self):
        with apache() as server:
            name = ODD_NAME.removeprefix("/box")
            passed(server, "--rw=write", "--size=4k", "--verify=crc32c", name=name)
            self.assertEqual([path.name for path in server.objects.iterdir()], [f"{name[1:]}_0_4096"])

    def test_large_objects(self):
        with apache() as server:
            words = ("--bs=20m", "--size=40m", "--iodepth=2", "--buffer_pattern=0x12345678")
            result = passed(server, "--rw=write", *words)
            self.assert_counts_agree(server, result)
            self.assertEqual(hashlib.sha256((server.objects / "o_20971520_20971520").read_bytes()).digest(), hashlib.sha256(b"\x12\x34\x56\x78" * (5 * MIB)).digest())
            (server.folder / "log").write_text("")
            self.assert_counts_agree(server, passed(server, "--rw=read", *words))

    def test_several_jobs_and_threads(self):
        for words in (("--numjobs=3",), ("--numjobs=3", "--thread"), ("--io_submit_mode=offload",)):
            with self.subTest(words=words), apache() as server:
                self.assert_counts_agree(server, passed(server, "--rw=write", "--iodepth=4", *words))

    # effect: http_user http_pass
    def test_a_login(self):
        with apache(login="anna:s:ecret/1") as server:
            result = passed(server, "--rw=write", "--http_user=anna", "--http_pass=s:ecret/1", "--iodepth=4")
            theirs = server.counted(64 + 4)
            self.assertEqual(theirs, ours(result))
            refused = server.counted(status=lambda status: status == 401)["PUT"].requests
            self.assertLessEqual(refused, 4)  # the first request of each slot asks which login the server has
            for words in (("--http_user=anna", "--http_pass=wrong"), ()):
                done = run(server, "--rw=write", *words)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("the server answered 401 Unauthorized", done.stdout + done.stderr)

    # effect: https
    def test_certificates(self):
        with apache(tls=True) as server:
            done = run(server, "--rw=write", "--https=on")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("self-signed certificate", done.stdout + done.stderr)
            self.assertEqual(server.rows(), [])
            self.assert_counts_agree(server, passed(server, "--rw=write", "--https=insecure", "--iodepth=4"))
            self.assertNotEqual(run(server, "--rw=write", "--https=off").returncode, 0)

    # effect: http_missing
    def test_missing_objects(self):
        with apache() as server:
            result = passed(server, "--rw=read", "--size=8k")
            self.assertEqual(result["jobs"][0]["read"]["ios"], 2)
            self.assertIn("a read of a missing object returns zeros", json.dumps(result["findings"]))
            self.assertEqual({row[:2] == ["GET", "404"] for row in server.rows()}, {True})
            done = run(server, "--rw=read", "--size=8k", "--http_missing=error", "--continue_on_error=all")
            job, = document(done.stdout)["jobs"]
            self.assertEqual((job["error_count"], job["read"]["ios"] if "read" in job else 0), (2, 0))
            self.assertIn("404 Not Found", done.stdout + done.stderr)
            self.assertEqual(passed(server, "--rw=trim", "--size=8k")["jobs"][0]["trim"]["ios"], 2)

    def test_objects_of_another_size(self):
        with apache() as server:
            for size, text in ((100, "the object has 100 of 4096 bytes"), (5000, "the object is larger than the read of 4096 bytes")):
                (server.objects / "o_0_4096").write_bytes(bytes(size))
                done = run(server, "--rw=read", "--size=4k")
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(text, done.stdout + done.stderr)

    def test_errors_of_the_server_are_counted(self):
        with apache() as server:
            done = run(server, "--rw=write", "--continue_on_error=all", "--iodepth=8", name="/no/such/o")
            job, = document(done.stdout)["jobs"]
            self.assertEqual(job["error_count"], 64)
            self.assertIn("the server answered 409 Conflict", done.stdout + done.stderr)
            server.counted(64)
            self.assertEqual(len(server.rows()), 64)

    def test_the_server_is_killed(self):
        with apache() as server:
            process = subprocess.Popen(command(server, "--rw=randwrite", "--iodepth=8", "--time_based", "--runtime=60"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while len(server.rows()) < 64:
                self.assertIsNone(process.poll(), process.returncode)
            server.kill()
            out, err = process.communicate(timeout=60)
            self.assertNotEqual(process.returncode, 0)
            job, = document(out)["jobs"]
            self.assertGreaterEqual(job["write"]["ios"] + 8, len(server.rows()))
            self.assertGreater(job["write"]["ios"], 0)
            self.assertRegex(out + err, "Connection refused|Failed to connect|Empty reply|reset|Recv failure|Send failure")

    # effect: http_verbose
    def test_verbose_lines_have_no_password(self):
        with apache(login="anna:secretword") as server:
            for level, data in (("1", 0), ("2", 1)):
                done = run(server, "--rw=write", "--size=4k", "--http_user=anna", "--http_pass=secretword", f"--http_verbose={level}")
                self.assertIn("> PUT /o_0_4096 HTTP/1.1", done.stderr)
                self.assertIn("> Authorization: (secret)", done.stderr)
                self.assertEqual("4096 bytes of data" in done.stderr, bool(data))

    def test_what_the_server_cannot_do_is_refused(self):
        with apache() as server:
            for words, what in ((("--rw=write", "--fsync=1"), "does not offer flush"), (("--rw=write", "--sync=1"), "does not offer writes with FUA")):
                done = run(server, *words)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(what, done.stderr)
            self.assertEqual(server.rows(), [])

    def test_a_replayed_trace(self):
        with apache() as server, tempfile.NamedTemporaryFile("w", suffix=".iolog") as trace:
            trace.write("fio version 3 iolog\n1 /o add\n1 /o open\n1000 /o write 0 4096\n2000 /o read 0 4096\n4000 /o trim 0 4096\n5000 /o close\n")
            trace.flush()
            words = [word for word in command(server, f"--read_iolog={trace.name}") if not word.startswith(("--filename=", "--size="))]
            done = subprocess.run(words, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(server.counted(3), {"PUT": Counted(1, 4096), "GET": Counted(1, 4096), "DELETE": Counted(1, 0)})


class Wrong(unittest.TestCase):
    def test_no_server(self):
        class Nobody:
            host = f"127.0.0.1:{apache_server.free_port()}"
        done = run(Nobody, "--rw=write")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Failed to connect to 127.0.0.1", done.stdout + done.stderr)

    def test_a_name_without_a_slash(self):
        class Nobody:
            host = "127.0.0.1:9"
        done = run(Nobody, "--rw=write", name="o")
        self.assertIn("the name of an object begins with a slash", done.stderr)
        self.assertIn("filename=/BUCKET/NAME", done.stderr)

    def test_a_job_without_a_size(self):
        words = [word for word in command(type("N", (), {"host": "127.0.0.1:9"}), "--rw=write") if not word.startswith("--size")]
        self.assertIn("size= is missing", subprocess.run(words, capture_output=True, text=True, timeout=60).stderr)

    def test_the_program_needs_no_libcurl(self):
        needed = [subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=True).stdout for file in (FATHOM, PLUGIN)]
        self.assertNotIn("libcurl", needed[0])
        self.assertIn("libcurl.so.4", needed[1])

    def test_without_the_plug_in(self):
        with tempfile.TemporaryDirectory(prefix="fathom-http-") as folder:
            program, plugin = pathlib.Path(folder, "fathom"), pathlib.Path(folder, PLUGIN.name)
            program.write_bytes(pathlib.Path(FATHOM).read_bytes())
            program.chmod(0o755)
            words = [program, *command(type("N", (), {"host": "127.0.0.1:9"}), "--rw=write")[1:]]
            self.assertIn("package fathom-http", subprocess.run(words, capture_output=True, text=True, timeout=60).stderr)
            plugin.write_bytes(PLUGIN.read_bytes().replace(b"libcurl.so.4", b"libcurl.so.9"))
            self.assertIn("package libcurl4", subprocess.run(words, capture_output=True, text=True, timeout=60).stderr)


S3_WORDS = ("--http_mode=s3", f"--http_s3_keyid={signed_server.KEY_ID}", f"--http_s3_key={signed_server.KEY}", f"--http_s3_region={signed_server.REGION}")


@unittest.skipIf(signed_server.botocore is None, "python3-botocore is not installed")
class Signatures(unittest.TestCase):
    # effect: http_s3_key http_s3_keyid http_s3_region
    # effect: http_mode=s3
    def test_each_request_is_signed(self):
        for words in (("--rw=write",), ("--rw=read",), ("--rw=randrw",), ("--rw=trim",)):
            for depth in (1, 32):
                with self.subTest(words=words, depth=depth), s3_server() as server:
                    passed(server, *S3_WORDS, *words, f"--iodepth={depth}")
                    self.assertEqual((len(server.seen), {seen[3] for seen in server.seen}), (64, {None}))

    def test_names_with_any_character(self):
        with s3_server() as server:
            passed(server, *S3_WORDS, "--rw=write", "--size=4k", "--verify=crc32c", name=ODD_NAME)
            self.assertEqual([seen[1] for seen in server.seen], [f"{ODD_NAME}_0_4096"] * 2)

    # effect: http_s3_security_token http_s3_sse_customer_key http_s3_sse_customer_algorithm http_s3_storage_class
    def test_further_headers_are_signed(self):
        customer_key = "0123456789abcdef0123456789abcde/"
        more = ("--http_s3_security_token=FQoG/+token==", f"--http_s3_sse_customer_key={customer_key}", "--http_s3_storage_class=COLD",
                "--http_s3_sse_customer_algorithm=AES256")
        with s3_server() as server:
            passed(server, *S3_WORDS, *more, "--rw=write", "--size=8k", "--verify=crc32c")
            self.assertEqual({seen[3] for seen in server.seen}, {None})
            for *_, headers in server.seen:
                self.assertEqual(headers["x-amz-security-token"], "FQoG/+token==")
                self.assertEqual(headers["x-amz-storage-class"], "COLD")
                self.assertEqual(headers["x-amz-server-side-encryption-customer-algorithm"], "AES256")
                self.assertEqual(headers["x-amz-server-side-encryption-customer-key"], "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZS8=")

    def test_a_wrong_key(self):
        for depth in (1, 32):
            with s3_server() as server:
                done = run(server, *S3_WORDS, "--http_s3_key=wrong", "--rw=write", "--continue_on_error=all", f"--iodepth={depth}")
                job, = document(done.stdout)["jobs"]
                self.assertEqual((job["error_count"], sum(job[kind]["ios"] for kind in ("read", "write") if kind in job)), (64, 0))
                self.assertEqual({seen[3] for seen in server.seen}, {"SignatureDoesNotMatch"})
                self.assertEqual(server.objects, {})
                self.assertNotEqual(run(server, *S3_WORDS, "--http_s3_key=wrong", "--rw=write").returncode, 0)
                self.assertIn("the server answered 403 Forbidden: SignatureDoesNotMatch", done.stdout + done.stderr)


class Secrets(unittest.TestCase):
    """What is shown and stored of a run does not contain its secrets."""
    SECRETS = {"http_pass": "pass-WORD-1", "http_s3_key": signed_server.KEY, "http_s3_security_token": "token-WORD-2", "http_s3_sse_customer_key": "customer-WORD-3",
               "http_swift_auth_token": "swift-WORD-4"}

    def words(self):
        return ["--http_user=anna", *(f"--{name}={value}" for name, value in self.SECRETS.items())]

    def assert_hidden(self, text, least=1):
        for name, value in self.SECRETS.items():
            self.assertNotIn(value, text, name)
        self.assertGreaterEqual(text.count("(secret)"), least)

    @unittest.skipIf(signed_server.botocore is None, "python3-botocore is not installed")
    def test_results_bundles_and_reports(self):
        with s3_server() as server, tempfile.TemporaryDirectory(prefix="fathom-http-") as folder:
            result, bundle = pathlib.Path(folder, "r.json"), pathlib.Path(folder, "b.zip")
            done = run(server, *S3_WORDS, *self.words(), "--rw=write", f"--output={result}")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_hidden(result.read_text(), 10)
            for form in ("normal", "html", "verbose", "terse"):
                shown = subprocess.run([FATHOM, "report", result, f"--output-format={form}"], capture_output=True, text=True, check=True).stdout
                self.assert_hidden(shown, 0)
            subprocess.run([FATHOM, "bundle", result, "-o", bundle], check=True, capture_output=True)
            self.assert_hidden(subprocess.run(["/usr/bin/python3", "-m", "zipfile", "-e", bundle, folder], check=True, capture_output=True, text=True).stdout +
                               pathlib.Path(folder, "job.fio").read_text() + pathlib.Path(folder, "result.json").read_text(), 10)
            rerun = subprocess.run([FATHOM, "rerun", bundle], capture_output=True, text=True, timeout=60)
            self.assertNotEqual(rerun.returncode, 0)
            self.assertIn("do not contain secrets", rerun.stderr)
            rerun = subprocess.run([FATHOM, "rerun", bundle, *(f"--set={name}={value}" for name, value in self.SECRETS.items()), "--output-format=json"],
                                   capture_output=True, text=True, timeout=60)
            self.assertEqual(rerun.returncode, 0, rerun.stderr)
            self.assert_hidden(rerun.stdout + rerun.stderr, 10)

    def test_messages(self):
        nobody = type("N", (), {"host": "127.0.0.1:9"})
        for words in (("--showcmd",), ("--debug=parse", "--parse-only"), ("--rw=write",), ("--http_mode=s3",), ("--ioengine=psync",)):
            done = run(nobody, *self.words(), *words)
            self.assert_hidden(done.stdout + done.stderr, 0)
        with tempfile.NamedTemporaryFile("w", suffix=".fio") as file:
            file.write("[a]\nioengine=http\nsize=4k\nfilename=/o\nhttp_user=anna\n" + "".join(f"{name}={value}\n" for name, value in self.SECRETS.items()))
            file.flush()
            shown = subprocess.run([FATHOM, "run", "--showcmd", file.name], capture_output=True, text=True).stdout
            self.assert_hidden(shown, 5)


@unittest.skipIf(swift_server.missing() is not None, f"{swift_server.missing()} is not installed")
class Swift(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        context = swift_server.swift()
        cls.server = context.__enter__()
        cls.addClassCleanup(context.__exit__, None, None, None)

    def assert_counts_agree(self, *words, name):
        self.server.start_counting()
        mine = ours(passed(self.server, *words, "--size=128k", name=name))
        self.assertEqual(self.server.counted(sum(count.requests for count in mine.values())), mine)

    # effect: http_swift_auth_token
    # effect: http_mode=swift
    def test_requests_and_bytes_of_each_kind(self):
        words = ("--http_mode=swift", f"--http_swift_auth_token={self.server.token()}")
        for depth in (1, 16):
            for kind in (("--rw=write",), ("--rw=read", "--http_missing=error"), ("--rw=randwrite", "--verify=crc32c"), ("--rw=trim",)):
                with self.subTest(kind=kind, depth=depth):
                    self.assert_counts_agree(*words, *kind, f"--iodepth={depth}", name="/v1/AUTH_test/box/o")

    def test_a_wrong_token(self):
        done = run(self.server, "--http_mode=swift", "--http_swift_auth_token=AUTH_tkwrong", "--rw=write", name="/v1/AUTH_test/box/o")
        self.assertIn("the server answered 401 Unauthorized", done.stdout + done.stderr)

    def test_s3(self):
        words = ("--http_mode=s3", f"--http_s3_keyid={swift_server.USER}", f"--http_s3_key={swift_server.KEY}", f"--http_s3_region={swift_server.REGION}")
        for depth in (1, 16):
            for kind in (("--rw=write",), ("--rw=read", "--http_missing=error"), ("--rw=randwrite", "--verify=crc32c"), ("--rw=trim",)):
                with self.subTest(kind=kind, depth=depth):
                    self.assert_counts_agree(*words, *kind, f"--iodepth={depth}", name=ODD_NAME)
        done = run(self.server, *words, "--http_s3_key=wrong", "--rw=write", name="/box/o")
        self.assertIn("the server answered 403 Forbidden: SignatureDoesNotMatch", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()

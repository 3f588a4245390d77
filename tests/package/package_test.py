# label: package
# timeout: 14400
# alone: it keeps all CPUs busy, and measures how soon the first report is there
"""scripts/release, and what it makes. Two builds in two directories are equal. In a bare Debian 12 the package is installed, used and removed. The tarball runs
beside nothing but libc6 and libstdc++6. The program is small, and its first report soon there.

The commit is HEAD, or one of the changes to tracked files on it. FATHOM_RELEASES=OUT:OUT looks at two releases that exist."""
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import bare_root
from bare_root import Root, run

SOURCE = pathlib.Path(os.environ["FATHOM_SOURCE"])
BUILD = pathlib.Path(os.environ["FATHOM_BUILD"])
sys.path.insert(0, str(SOURCE / "tests/guest"))
import debian_packages  # noqa: E402

LARGEST_PROGRAM_BYTES = 10_000_000
FIRST_REPORT_S = 20
AUTHOR = ("-c", "user.name=test", "-c", "user.email=test@test.invalid")
NAMES = ("fio", "pmbench", "spdk_nvme_perf")
PACKAGES = {"libm.so.6": "libc6", "libz.so.1": "zlib1g", "libpugixml.so.1": "libpugixml1v5", "libgcc_s.so.1": "libgcc-s1", "libsqlite3.so.0": "libsqlite3-0",
            "libevent_core-2.1.so.7": "libevent-core-2.1-7", "libevent_extra-2.1.so.7": "libevent-extra-2.1-7"}  # the others: libNAME.so.N of libNAMEN
OF_THE_SYSTEM = r"lib(c|m|gcc_s|stdc\+\+)\.so\.\d+|ld-linux-x86-64\.so\.2"
SIM = ("run", "--name=t", "--ioengine=sim", "--rw=randread", "--bs=4k", "--size=64m", "--runtime=1", "--time_based")
FIRST = ("fathom", "run", "--brief", "--name=first", "--filename=/var/tmp/first", "--size=16m", "--rw=randread", "--runtime=1", "--time_based")

holder = None
releases = []  # the directories of two releases
unpacked = {}  # {fathom, fathom-dev, fathom-dbgsym, tarball: directory of its files}


@functools.cache
def commit():
    """HEAD with the changes to tracked files: a commit without a name, or HEAD itself."""
    changed = run("git", "-C", SOURCE, *AUTHOR, "stash", "create").strip()
    return changed or run("git", "-C", SOURCE, "rev-parse", "HEAD").strip()


def clone(folder, **more):
    folder.parent.mkdir(parents=True)
    run("git", "clone", "--quiet", "--shared", "--no-checkout", SOURCE, folder, **more)
    run("git", "-C", folder, "checkout", "--quiet", "--detach", commit(), **more)
    return folder


def release(folder, **more):
    run(clone(folder, **more) / "scripts/release", **more)
    return folder / "out"


def setUpModule():
    global holder
    holder = tempfile.TemporaryDirectory(prefix="fathom-release-", dir="/var/tmp")
    place = pathlib.Path(holder.name)
    if "FATHOM_RELEASES" in os.environ:
        releases.extend(pathlib.Path(path) for path in os.environ["FATHOM_RELEASES"].split(":"))
    else:  # in directories of different lengths, time zones and masks
        calm = {**os.environ, "CCACHE_DISABLE": "1"}
        releases.append(release(place / "one/fathom", env=calm))
        releases.append(release(place / "another/of/different/length/fathom", env={**calm, "TZ": "Asia/Tokyo", "LC_ALL": "C"}, umask=0o077))
    for path in releases[0].iterdir():
        name = "tarball" if path.name.endswith(".tar.gz") else path.name.partition("_")[0]
        folder = place / "unpacked" / name
        folder.mkdir(parents=True)
        if path.suffix == ".deb":
            run("dpkg-deb", "-x", path, folder)
        elif name == "tarball":
            run("tar", "-xf", path, "-C", folder, "--strip-components=1")
        unpacked[name] = folder


def tearDownModule():
    holder.cleanup()


def file_of(pattern):
    found, = releases[0].glob(pattern)
    return found


def needed(path):
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", path)))


def install(root):
    """The package, with what it depends on and recommends. These are downloaded before, as a near mirror would give them; returns the time after that."""
    package = file_of("fathom_*.deb")
    shutil.copy(package, root.path / "root")
    words = ("apt-get", "install", "--yes", "--quiet", f"/root/{package.name}")
    root.run("apt-get", "update", "--quiet")
    root.run(*words, "--download-only")
    begin = time.monotonic()
    root.run(*words)
    return begin


class Releases(unittest.TestCase):
    def test_two_builds_of_a_commit_are_equal(self):
        names = [sorted(path.name for path in folder.iterdir()) for folder in releases]
        self.assertEqual(names[0], names[1])
        self.assertEqual(len(names[0]), 7, names[0])
        different = [name for name in names[0] if (releases[0] / name).read_bytes() != (releases[1] / name).read_bytes()]
        self.assertEqual(different, [])

    def test_the_checksums_are_of_all_files(self):
        listed = {row.split("  ")[1] for row in (releases[0] / "SHA256SUMS").read_text().splitlines()}
        self.assertEqual(listed | {"SHA256SUMS"}, {path.name for path in releases[0].iterdir()})
        run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=releases[0])

    def test_the_checksums_of_a_package_name_its_files(self):
        for package in releases[0].glob("*.deb"):
            listed = [row.split("  ", 1)[1] for row in run("dpkg-deb", "--info", package, "md5sums").splitlines()]
            files = unpacked[package.name.partition("_")[0]]
            self.assertTrue(listed)
            self.assertEqual([name for name in listed if not (files / name).is_file()], [], package.name)

    def test_the_program_is_stripped_and_small(self):
        for folder, name in (("fathom", "usr/bin/fathom"), ("tarball", "bin/fathom")):
            program = unpacked[folder] / name
            sections = run("readelf", "-SW", program)
            self.assertNotRegex(sections, r"\.debug_info|\.symtab")
            self.assertIn(".fathom.marks", sections)  # `fathom clock test` reads its own code by them
            print(f"the program of the {folder}: {program.stat().st_size / 1e6:.2f} MB", flush=True)
        self.assertLessEqual((unpacked["fathom"] / "usr/bin/fathom").stat().st_size, LARGEST_PROGRAM_BYTES)

    def test_the_symbols_are_those_of_the_program(self):
        build_id = re.search(r"Build ID: (..)(\w+)", run("readelf", "-n", unpacked["fathom"] / "usr/bin/fathom"))
        symbols = unpacked["fathom-dbgsym"] / f"usr/lib/debug/.build-id/{build_id[1]}/{build_id[2]}.debug"
        self.assertRegex(run("readelf", "-SW", symbols), r"\.debug_info")

    def test_the_packages_describe_themselves(self):
        for pattern, section in (("fathom_*.deb", "utils"), ("fathom-nbd_*.deb", "utils"), ("fathom-http_*.deb", "utils"), ("fathom-dev_*.deb", "libdevel")):
            fields = dict(re.findall(r"^([\w-]+): (.*)$", run("dpkg-deb", "-f", file_of(pattern)), re.M))
            self.assertEqual(fields["Section"], section)
            self.assertLessEqual(len(fields["Description"]), 80)
            documents = unpacked[fields["Package"]] / "usr/share/doc" / fields["Package"]
            self.assertLessEqual({"copyright", "changelog.Debian.gz"}, {path.name for path in documents.iterdir()})

    def test_the_package_depends_on_what_it_links(self):
        depends = run("dpkg-deb", "-f", file_of("fathom_*.deb"), "Depends")
        for library in needed(unpacked["fathom"] / "usr/bin/fathom"):
            self.assertIn(PACKAGES.get(library, library.replace(".so.", "")), depends)

    def test_the_package_of_an_engine_has_only_its_shared_object_and_its_library(self):
        for engine, library in (("nbd", "libnbd0"), ("http", "libcurl4")):
            package = f"fathom-{engine}"
            files = {str(path.relative_to(unpacked[package])) for path in unpacked[package].rglob("*") if path.is_file()}
            self.assertEqual(files - {f"usr/share/doc/{package}/{name}" for name in ("copyright", "changelog.Debian.gz")}, {f"usr/lib/fathom/fathom_{engine}.so"})
            depends = run("dpkg-deb", "-f", file_of(f"{package}_*.deb"), "Depends")
            self.assertIn(library, depends)
            self.assertIn("fathom (= ", depends)
            self.assertNotIn(library.rstrip("0123456789"), run("dpkg-deb", "-f", file_of("fathom_*.deb"), "Depends"))

    def test_a_program_builds_on_the_development_package(self):
        with tempfile.TemporaryDirectory() as folder:
            run("cmake", "-S", SOURCE / "examples/nvme", "-B", folder, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={unpacked['fathom-dev']}/usr")
            run("cmake", "--build", folder)
            self.assertIn("8 of 8 blocks", run(f"{folder}/nvme_read", "soft"))


class Refusals(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fathom-refusal-", dir="/var/tmp")
        self.addCleanup(folder.cleanup)
        self.tree = clone(pathlib.Path(folder.name, "a/fathom"))
        lists = self.tree / "CMakeLists.txt"
        lists.write_text(re.sub(r"project\(fathom VERSION [\d.]+", "project(fathom VERSION 99.9.9", lists.read_text()))

    def refused(self):
        done = subprocess.run([self.tree / "scripts/release"], capture_output=True, text=True)
        self.assertEqual((done.returncode, (self.tree / "out").exists()), (1, False), done.stderr)
        return done.stderr

    def test_changes_without_a_commit_are_refused(self):
        self.assertIn("commit them", self.refused())

    def test_a_version_that_the_changelog_lacks_is_refused(self):
        run("git", "-C", self.tree, *AUTHOR, "commit", "--quiet", "-am", "test: raise the version")
        self.assertIn("no entry for version 99.9.9", self.refused())


class Sbom(unittest.TestCase):
    def test_it_names_what_the_files_contain_and_need(self):
        document = json.loads(file_of("*.spdx.json").read_text())
        self.assertEqual((document["spdxVersion"], document["dataLicense"]), ("SPDX-2.3", "CC0-1.0"))
        packages = {package["name"]: package for package in document["packages"]}
        identifiers = [package["SPDXID"] for package in document["packages"]] + ["SPDXRef-DOCUMENT"]
        self.assertEqual(len(set(identifiers)), len(identifiers))
        for identifier in identifiers:
            self.assertRegex(identifier, r"^SPDXRef-[A-Za-z0-9.-]+$")
        named = {row[end] for row in document["relationships"] for end in ("spdxElementId", "relatedSpdxElement")}
        self.assertEqual(named - set(identifiers), set())
        sums = dict(reversed(row.split("  ")) for row in (releases[0] / "SHA256SUMS").read_text().splitlines())
        artifacts = {name: package["checksums"][0]["checksumValue"] for name, package in packages.items() if "checksums" in package}
        self.assertEqual(artifacts, {name: value for name, value in sums.items() if not name.endswith(".json")})
        self.assertEqual(packages["uplot"]["licenseDeclared"], "MIT")
        relations = {(row["relationshipType"], row["relatedSpdxElement"]) for row in document["relationships"]}
        self.assertLessEqual({("DYNAMIC_LINK", "SPDXRef-libblkid1"), ("STATIC_LINK", "SPDXRef-libblkid-dev"), ("CONTAINS", "SPDXRef-libfmt9"), ("CONTAINS", "SPDXRef-uplot")},
                             relations)
        for name in ("libfmt9", "nlohmann-json3-dev", "libblkid-dev"):
            self.assertEqual((unpacked["tarball"] / "share/doc/fathom/licenses" / name).read_text(), pathlib.Path("/usr/share/doc", name, "copyright").read_text())


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = Root.of_debian(BUILD / "package")
        cls.addClassCleanup(cls.root.remove)
        begin = install(cls.root)
        cls.first_report = cls.root.run(*FIRST)
        cls.first_report_s = time.monotonic() - begin

    def test_the_first_report_is_soon_there(self):
        print(f"the first report was there {self.first_report_s:.1f} s after the package", flush=True)
        self.assertIn("IOPS", self.first_report)
        self.assertLessEqual(self.first_report_s, FIRST_REPORT_S)

    def test_it_runs(self):
        self.assertRegex(self.root.run("fathom", "--version"), r"^fathom \d")
        self.assertIn("IOPS", self.root.run("fathom", *SIM))

    def test_it_runs_under_other_names(self):
        self.assertNotEqual(self.root.enter("sh", "-c", "command -v fio").returncode, 0)
        for name in NAMES:
            words = self.root.run("sh", "-c", f"PATH=/usr/libexec/fathom:$PATH; command -v {name}; {name} --help").splitlines()
            self.assertEqual(words[0], f"/usr/libexec/fathom/{name}")
            self.assertIn(name, "".join(words[1:]))
        self.assertRegex(self.root.run("/usr/libexec/fathom/fio", "--version"), r"^fio-3\.\d+\n$")

    def test_each_command_has_its_manual_page(self):
        pages = {path.name for path in (self.root.path / "usr/share/man/man1").glob("fathom*")}
        self.assertEqual(pages, {front.name.replace(".scd", ".gz") for front in SOURCE.glob("man/*.1.scd")})
        self.assertIn("iodepth", run("zcat", self.root.path / "usr/share/man/man1/fathom-run.1.gz"))

    def test_the_shells_have_their_completions(self):
        for shell, path in (("bash", "bash-completion/completions/fathom"), ("zsh", "zsh/vendor-completions/_fathom"), ("fish", "fish/vendor_completions.d/fathom.fish")):
            self.assertEqual((self.root.path / "usr/share" / path).read_text(), self.root.run("fathom", "completion", shell))


class Removed(unittest.TestCase):
    def test_no_file_stays(self):
        root = Root.of_debian(BUILD / "package")
        self.addCleanup(root.remove)
        root.run("apt-get", "update", "--quiet")
        before = root.files()
        install(root)
        (root.path / "root" / file_of("fathom_*.deb").name).unlink()
        root.run(*FIRST)
        self.assertIn("usr/bin/fathom", root.files() - before)
        root.run("apt-get", "purge", "--yes", "--autoremove", "fathom")
        self.assertEqual(root.files() - before, set())


class Tarball(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = Root(cls.fill)
        cls.addClassCleanup(cls.root.remove)

    @staticmethod
    def fill(path):
        """Of Debian the files of these packages and nothing else: no shell, no other library."""
        cache = BUILD / "package"
        cache.mkdir(exist_ok=True)
        for package in ("libc6", "libgcc-s1", "libstdc++6"):
            shutil.copytree(debian_packages.unpacked(cache, package, None), path, symlinks=True, dirs_exist_ok=True)
        shutil.copytree(unpacked["tarball"], path / "opt/fathom", symlinks=True)

    def test_it_needs_only_the_libraries_of_the_compiler(self):
        beside = {path.name for path in (unpacked["tarball"] / "lib/fathom").iterdir()}
        for path in [unpacked["tarball"] / "bin/fathom", *(unpacked["tarball"] / "lib/fathom").iterdir()]:
            others = {name for name in needed(path) if not re.fullmatch(OF_THE_SYSTEM, name)}
            self.assertEqual(others - beside, set(), path)

    def test_it_runs(self):
        self.assertRegex(self.root.run("/opt/fathom/bin/fathom", "--version"), r"^fathom \d")
        self.assertIn("IOPS", self.root.run("/opt/fathom/bin/fathom", *SIM))
        for name in NAMES:
            self.assertIn(name, self.root.run(f"/opt/fathom/libexec/fathom/{name}", "--help"))

    def test_a_hash_without_openssl_names_the_package(self):
        done = self.root.enter("/opt/fathom/bin/fathom", "run", "--name=t", "--filename=/var/tmp/f", "--size=1m", "--rw=write", "--verify=sha256")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("install libssl3", done.stdout + done.stderr)


class Container(unittest.TestCase):
    def buildah(self, *words, check=True):
        command = ["buildah", "--storage-driver=vfs", f"--root={self.place}/storage", f"--runroot={self.place}/run", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True)
        if check and done.returncode != 0:
            raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-3000:]}")
        return done

    def skip(self, reason):
        print(f"skipped: packaging/Containerfile was not built: {reason}", flush=True)
        self.skipTest(reason)

    def test_it_is_built_on_a_bare_debian(self):
        if not shutil.which("buildah"):
            self.skip("buildah is not installed (scripts/setup --dev)")
        folder = tempfile.TemporaryDirectory(prefix="fathom-container-", dir="/var/tmp")
        self.addCleanup(folder.cleanup)
        self.place = folder.name
        base = self.buildah("from", "--name=base", "scratch", check=False)
        if base.returncode == 0:
            self.buildah("add", "base", bare_root.debian(BUILD / "package"), "/")
            base = self.buildah("run", "--isolation=chroot", "base", "--", "/bin/true", check=False)
        if base.returncode != 0:
            self.skip(f"buildah cannot run here: {base.stderr.strip()[-300:]}")
        self.buildah("commit", "base", "localhost/bare")
        self.buildah("build", "--isolation=chroot", "--pull-never", "--build-arg=BASE=localhost/bare", f"--file={SOURCE}/packaging/Containerfile", "--tag=localhost/fathom",
                     releases[0])
        self.buildah("from", "--name=built", "localhost/fathom")
        self.assertRegex(self.buildah("run", "--isolation=chroot", "built", "--", "fathom", "--version").stdout, r"^fathom \d")
        self.assertIn("IOPS", self.buildah("run", "--isolation=chroot", "built", "--", "fathom", *SIM).stdout)


if __name__ == "__main__":
    reason = bare_root.what_is_missing()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main()

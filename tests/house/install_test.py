# timeout: 300
"""`cmake --install` after scripts/demo, which builds the program and not all: nothing is missing, man pages and completions are there, and what was
installed runs, also under other names. `--target uninstall` removes it and nothing else. And a build without a build type is one that measures. Nothing
is built here: what the demo's target would leave is copied from the build at hand."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import tree

BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD", tree.SOURCE / "build"))
CXX = os.environ.get("CXX", "g++")


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def demo_targets():
    """What scripts/demo builds."""
    built, = re.findall(r"cmake --build --preset release --target (\w+)", (tree.SOURCE / "scripts/demo").read_text(), re.M)
    return built.split()


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="fathom-install-")
        cls.build, cls.prefix = pathlib.Path(cls.folder.name, "build"), pathlib.Path(cls.folder.name, "prefix")
        run("cmake", "-S", tree.SOURCE, "-B", cls.build, "-G", "Ninja", "-DFATHOM_TESTS=OFF", f"-DCMAKE_CXX_COMPILER={CXX}")
        made = set(run("ninja", "-C", cls.build, "-t", "inputs", *demo_targets()).split()) | set(demo_targets())
        for name in made:
            name = os.path.relpath(name, cls.build) if os.path.isabs(name) else name
            if re.fullmatch(r"fathom|fathom[\w-]*\.1|fathom_\w+\.so|lib\w+\.a", name):
                shutil.copy2(BUILD / name, cls.build / name)
        run("cmake", "--install", cls.build, "--prefix", cls.prefix)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_what_was_installed_runs(self):
        program = self.prefix / "bin/fathom"
        self.assertIn("fathom", run(program, "version"))
        out = run(program, "run", "--name=t", "--ioengine=null", "--size=4k", cwd=self.prefix)
        self.assertIn("total=1,0,0,0", out)

    def test_the_man_pages_are_there(self):
        if not shutil.which("scdoc"):
            self.skipTest("scdoc is not installed")
        pages = self.prefix / "share/man/man1"
        self.assertEqual({page.name for page in pages.iterdir()}, {front.name.removesuffix(".scd") for front in tree.SOURCE.glob("man/*.scd")})
        self.assertIn("iodepth", (pages / "fathom-run.1").read_text())

    def test_it_runs_under_the_names_that_scripts_call(self):
        for name in ("fio", "pmbench", "spdk_nvme_perf"):
            link = self.prefix / "libexec/fathom" / name
            self.assertEqual(os.readlink(link), "../../bin/fathom")
            self.assertIn(name, run(link, "--help"))
        self.assertRegex(run(self.prefix / "libexec/fathom/fio", "--version"), r"^fio-3\.")

    def test_the_completions_are_there(self):
        for shell, path in (("bash", "bash-completion/completions/fathom"), ("zsh", "zsh/site-functions/_fathom"), ("fish", "fish/vendor_completions.d/fathom.fish")):
            self.assertEqual((self.prefix / "share" / path).read_text(), run(self.prefix / "bin/fathom", "completion", shell))

    def test_documents_and_licenses_are_there(self):
        documents = self.prefix / "share/doc/fathom"
        for name in ("README.md", "LICENSE", "copyright", "docs/tutorial.md", "docs/reference/findings.md", "examples/database-oltp.fio"):
            self.assertTrue((documents / name).is_file(), name)

    def test_uninstall_removes_what_was_installed_and_nothing_else(self):
        prefix = pathlib.Path(self.folder.name, "other")
        (prefix / "share/man/man1").mkdir(parents=True)
        (prefix / "bin").mkdir()
        (prefix / "share/man/man1/other.1").write_text("")
        before = set(prefix.rglob("*"))
        run("cmake", "--install", self.build, "--prefix", prefix)
        self.assertGreater(len(set(prefix.rglob("*")) - before), 50)
        run("cmake", "--build", self.build, "--target", "uninstall")
        self.assertEqual(set(prefix.rglob("*")), before)
        done = subprocess.run(["cmake", "--build", self.build, "--target", "uninstall"], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("nothing was installed", done.stdout + done.stderr)

    def test_the_driver_library_is_there(self):
        for name in ("include/fathom/nvme/controller.h", "libfathom_nvme.a", "fathom_nvme-config.cmake"):
            self.assertTrue(list(self.prefix.rglob(pathlib.Path(name).name)), name)

    def test_without_a_build_type_it_is_release(self):
        cache = (self.build / "CMakeCache.txt").read_text()
        self.assertRegex(cache, r"(?m)^CMAKE_BUILD_TYPE:STRING=Release$")


if __name__ == "__main__":
    unittest.main()

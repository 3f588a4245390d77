# label: test
# timeout: 400
"""The installed driver as a foreign uses it: built, installed into a prefix, found by find_package, and the example run on it."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["FATHOM_SOURCE"])
BUILD = pathlib.Path(os.environ["FATHOM_BUILD"])
CXX = os.environ["CXX"]


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


class InstalledDriver(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="fathom-package-")
        cls.root = pathlib.Path(cls.folder.name)
        cls.prefix = cls.root / "prefix"
        run("cmake", "--build", BUILD, "--target", "fathom_nvme")
        run("cmake", "--install", BUILD, "--prefix", cls.prefix, "--component", "development")
        run("cmake", "-S", SOURCE / "examples/nvme", "-B", cls.root / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={cls.prefix}",
            f"-DCMAKE_CXX_COMPILER={CXX}", "-DCMAKE_BUILD_TYPE=Release")
        run("cmake", "--build", cls.root / "build")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_example_reads_from_the_soft_controller(self):
        self.assertEqual(run(self.root / "build/nvme_read", "soft"), "8 of 8 blocks of 4096 bytes read from soft\n")
        self.assertIn("blocks of 512 bytes", run(self.root / "build/nvme_read", "soft:bs=512"))

    def test_the_example_is_short(self):
        rows = [r for r in (SOURCE / "examples/nvme/read.cc").read_text().split("\n") if r.strip()]
        self.assertLessEqual(len(rows), 50)

    def test_a_wrong_address_is_an_error_with_a_remedy(self):
        done = subprocess.run([self.root / "build/nvme_read", "0000:ff:1f.7"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"error: .+\ncause: ")

    def test_only_public_headers_are_installed_and_they_compile_alone(self):
        installed = sorted(p.relative_to(self.prefix / "include").as_posix() for p in self.prefix.rglob("*.h"))
        headers = [h.removeprefix("fathom/") for h in installed if h != "fathom_engine.h"]
        self.assertIn("fathom_engine.h", installed)
        self.assertIn("nvme/controller.h", headers)
        self.assertFalse([h for h in headers if h.count("/") != 1], headers)
        text = "".join(f'#include "{h}"\n' for h in headers)
        done = subprocess.run([CXX, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
                               f"-I{self.prefix}/include/fathom", "-x", "c++", "-"], input=text, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])


if __name__ == "__main__":
    if os.environ.get("FATHOM_SANITIZE"):
        print("skipped: the archives of a sanitizer build need its run-time")
        sys.exit(77)
    unittest.main()

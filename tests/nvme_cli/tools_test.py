"""`fathom nvme list | identify | log | setup | bind | unbind` as a user sees them, on the controller in software and on a machine that may
have no NVMe at all: text, JSON, exit status, mistakes. Nothing of the machine is changed."""
import json
import os
import pathlib
import struct
import unittest

from nvme import nvme, fathom

SUBCOMMANDS = ["list", "identify", "log", "setup", "bind", "unbind", "perf", "serve"]


class NvmeHelp(unittest.TestCase):
    def test_every_subcommand_is_named_and_has_help(self):
        text = nvme("--help")
        self.assertEqual(text.returncode, 0)
        for name in SUBCOMMANDS:
            self.assertRegex(text.stdout, rf"(?m)^  {name} ")
            done = nvme(name, "--help")
            self.assertEqual(done.returncode, 0, name)
            self.assertTrue(done.stdout.startswith(f"usage: fathom nvme {name} "), name)
        self.assertIn("Not supported: SGL", text.stdout)

    def test_unknown_subcommands_are_refused(self):
        self.assertEqual(nvme().returncode, 2)
        done = nvme("lst")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("did you mean `fathom nvme list`?", done.stderr)
        done = nvme("identify", "--jsn")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean `--json`?", done.stderr)

    def test_fathom_help_lists_nvme(self):
        self.assertRegex(fathom("help").stdout, r"(?m)^  nvme +drive NVMe controllers from user space$")


class NvmeList(unittest.TestCase):
    def test_text_and_json_agree(self):
        text, document = nvme("list"), nvme("list", "--json")
        self.assertEqual((text.returncode, document.returncode), (0, 0))
        controllers = json.loads(document.stdout)["controllers"]
        for controller in controllers:
            self.assertIn(controller["address"], text.stdout)
        if not controllers:
            self.assertIn("no NVMe controller found; try --device soft", text.stdout)

    def test_it_finds_the_controllers_of_sysfs(self):
        classes = [p.read_text().strip() for p in pathlib.Path("/sys/bus/pci/devices").glob("*/class")] if os.path.isdir("/sys/bus/pci/devices") else []
        self.assertEqual(len(json.loads(nvme("list", "--json").stdout)["controllers"]), classes.count("0x010802"))


class NvmeIdentify(unittest.TestCase):
    def test_text_shows_the_controllers_fields(self):
        done = nvme("identify", "--device=soft")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("vid", "mn", "sn", "fr", "mdts", "ver", "nn", "oncs", "subnqn"):
            self.assertRegex(done.stdout, rf"(?m)^{name} +: \S")
        self.assertRegex(done.stdout, r"(?m)^namespace 1 : 262144 blocks of 4096 bytes, 1\.0 GiB$")

    def test_json_has_numbers(self):
        document = json.loads(nvme("identify", "--device=soft:mdts=3,bs=512,size=64m", "--json").stdout)
        self.assertEqual(document["mdts"], 3)
        self.assertEqual(document["namespaces"], [{"nsid": 1, "size_bytes": 64 << 20, "block_bytes": 512}])

    def test_namespace_shows_size_and_format_in_use(self):
        done = nvme("identify", "--device=soft:bs=512,size=64m", "--namespace=1")
        self.assertRegex(done.stdout, r"(?m)^nsze +: 0x20000$")
        self.assertRegex(done.stdout, r"(?m)^lbaf +\d+ +: ms:0 lbads:9 .*\(in use\)$")

    def test_a_namespace_in_the_device_name_is_identified(self):
        for name, nsid in (("soft:ns=2,size=64m/ns=2", "2"), ("soft:ns=2,size=64m/ns=1", "1")):
            named, flag = nvme("identify", f"--device={name}"), nvme("identify", "--device=soft:ns=2,size=64m", f"--namespace={nsid}")
            self.assertEqual(named.returncode, 0, named.stderr)
            self.assertEqual(named.stdout, flag.stdout)
            self.assertRegex(named.stdout, r"(?m)^nsze +: ")
        self.assertEqual(nvme("identify", "--device=soft/ns=7").returncode, 2)

    def test_raw_prints_the_4096_bytes_of_the_device(self):
        from nvme import FATHOM, ENVIRONMENT, TIMEOUT_S
        import subprocess
        done = subprocess.run([FATHOM, "nvme", "identify", "--device=soft:mdts=4", "--raw"], capture_output=True, timeout=TIMEOUT_S, env=ENVIRONMENT)
        self.assertEqual(len(done.stdout), 4096)
        self.assertEqual(done.stdout[77], 4)
        self.assertEqual(struct.unpack_from("<I", done.stdout, 516)[0], json.loads(nvme("identify", "--device=soft", "--json").stdout)["nn"])

    def test_mistakes_are_refused(self):
        for arguments, status, words in ((["--device=soft", "--namespace=9"], 2, "namespace"), (["--device=soft:nosuch=1"], 2, "nosuch"),
                                         ([], 2, "which device"), (["--device=/dev/nvme0n1"], 2, "PCI address"),
                                         (["--device=vfio-user:/nowhere/at/all"], 2, "/nowhere/at/all"),
                                         (["--device=soft", "--namespace=x"], 2, "not a number")):
            done = nvme("identify", *arguments)
            self.assertEqual((done.returncode, done.stdout), (status, ""), (arguments, done.stderr))
            self.assertIn(words, done.stderr)

    def test_a_missing_address_is_an_error(self):
        done = nvme("identify", "--device=fffe:1f:1f.7")
        self.assertIn(done.returncode, (2, 3), done.stderr)
        self.assertRegex(done.stderr, r"(?m)^fathom nvme identify: error: .*fffe:1f:1f\.7")
        self.assertIn("  help: ", done.stderr)


class NvmeLog(unittest.TestCase):
    def test_every_page_is_printed(self):
        for page in ("error", "smart", "firmware", "changed-ns"):
            done = nvme("log", page, "--device=soft")
            self.assertEqual(done.returncode, 0, (page, done.stderr))
            document = json.loads(nvme("log", "--device=soft", page, "--json").stdout)
            self.assertEqual(document["log"], page)
            self.assertIsInstance(document["entries"], list)
        self.assertRegex(nvme("log", "smart", "--device=soft").stdout, r"(?m)^temperature +: \d+ C \(\d+ K\)$")
        self.assertRegex(nvme("log", "firmware", "--device=soft").stdout, r"(?m)^afi +: 0x")

    def test_an_unknown_page_lists_the_known_ones(self):
        done = nvme("log", "wear", "--device=soft")
        self.assertEqual(done.returncode, 2)
        self.assertIn("error, smart, firmware, changed-ns", done.stderr)


class NvmeSetupAndBind(unittest.TestCase):
    def test_setup_check_changes_nothing(self):
        pages = pathlib.Path("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages")
        before = pages.read_text() if pages.exists() else None
        done = nvme("setup", "--check")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("unchanged: ", done.stdout)
        for words in ("IOMMU: ", "vfio-pci: "):
            self.assertIn(words, done.stdout)
        self.assertEqual(pages.read_text() if pages.exists() else None, before)

    def test_setup_refuses_mistakes(self):
        self.assertEqual(nvme("setup", "--huge=some").returncode, 2)
        done = nvme("setup", "--node=1000", "--huge=2")
        self.assertEqual(done.returncode, 2)
        self.assertIn("1000", done.stderr)

    def test_bind_and_unbind_refuse_mistakes(self):
        for command in ("bind", "unbind"):
            for arguments, words in (([], "which device"), (["soft"], "not a PCI address"), (["fffe:1f:1f.7"], "fffe:1f:1f.7"), (["x", "y"], "one device")):
                done = nvme(command, *arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""), (command, arguments, done.stderr))
                self.assertIn(words, done.stderr)

    def test_bind_refuses_a_device_of_another_class(self):
        folder = "/sys/bus/pci/devices"
        others = [d for d in (os.listdir(folder) if os.path.isdir(folder) else []) if pathlib.Path(folder, d, "class").read_text().strip() != "0x010802"]
        if not others:
            self.skipTest("no other PCI device here")
        done = nvme("bind", others[0])
        self.assertEqual(done.returncode, 2)
        self.assertIn(others[0], done.stderr)


if __name__ == "__main__":
    unittest.main()

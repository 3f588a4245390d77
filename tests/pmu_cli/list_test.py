"""`fathom pmu list` as a user sees it: on the article's server (a recorded /sys), on a machine without any PMU, and on this one."""
import csv
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import recorded

FATHOM = os.environ["FATHOM"]
EVENTS = pathlib.Path(os.environ["FATHOM_SOURCE"]) / "events"


def pmu_list(*arguments):
    return subprocess.run([FATHOM, "pmu", "list", *arguments], capture_output=True, text=True, timeout=30)


class PmuListOfRecordedServer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="fathom-pmu-")
        recorded.article_server(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def ask(self, *arguments):
        done = pmu_list(f"--root={self.folder.name}", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def document(self, *arguments):
        return json.loads(self.ask("--output-format=json", *arguments))

    def test_root_ports_are_listed_with_link_pmu_and_devices(self):
        text = self.ask()
        self.assertRegex(text, r"(?m)^  000200  0000:00:02\.0  x4 of x4 +8 of 32 GT/s +NUMA 0 +pcie_bdf_200\n"
                               r" +0000:04:00\.0  SATA controller \(AHCI\) +1b4b:9235  ahci +sda$")
        self.assertRegex(text, r"(?m)^  b00000  0000:b0:00\.0  x16 of x16 .*NUMA 1 +pcie_bdf_b00000\n"
                               r".*0000:b1:00\.0 .*\n.*0000:b1:00\.1 .*\n +2 functions share the port")
        self.assertEqual(len(re.findall(r"(?m)^  [0-9a-f]{6}  0000:", text)), 18)

    def test_rules_are_printed_and_none_is_verified(self):
        text = self.ask()
        self.assertIn("raw x 16 bytes (pcie_bdf_*: Rx_PCIe_TLP_Data_Payload is to memory; not verified); 1 counter of 64 bits", text)
        rules = [rule for pmu in self.document()["pcie_bandwidth"] for rule in pmu["rules"]]
        self.assertEqual(len(rules), 36)
        self.assertEqual({rule["verified"] for rule in rules}, {False})
        self.assertEqual({rule["unit_bytes"] for rule in rules}, {16})

    def test_a_partition_is_traced_to_the_pmu_of_its_port(self):
        text = self.ask("--device=/dev/sda4")
        self.assertEqual(text.split("\n")[:5], [
            "/dev/sda4",
            "  sda4 is a partition of sda",
            "  sda belongs to PCI function 0000:04:00.0 (SATA controller (AHCI), driver ahci)",
            "  0000:04:00.0 is below root port 0000:00:02.0 (000200)",
            "root port 0000:00:02.0: PMU pcie_bdf_200"])

    def test_a_kernel_name_stands_for_its_device_node(self):
        self.assertEqual(self.ask("--device=nvme1n1"), self.ask("--device=/dev/nvme1n1"))
        self.assertIn("root port 0000:30:03.0: PMU pcie_bdf_300300", self.ask("--device=nvme1n1"))
        self.assertIn("sda4 is a partition of sda", self.ask("--device=sda4"))

    def test_a_missing_device_is_reported_as_missing(self):
        here = os.getcwd()
        self.assertIn(f"nvme7n1 does not exist; the nearest existing directory is {here}", self.ask("--device=nvme7n1"))

    def test_a_device_behind_two_ports_is_ambiguous(self):
        text = self.ask("--device=/dev/md0")
        self.assertIn("md0 is built on nvme0n1, nvme1n1", text)
        self.assertIn("ambiguous: 2 ports", text)
        self.assertIn("PMU pcie_bdf_100000", text)
        self.assertIn("PMU pcie_bdf_300300", text)
        self.assertTrue(self.document("--device=/dev/md0")["device"]["ambiguous"])

    def test_a_device_without_pci_path_has_no_port(self):
        text = self.ask("--device=/dev/zram0")
        self.assertIn("zram0 is memory (compressed), not a PCI device", text)
        self.assertIn("no root port: no PCIe counter can count its bytes", text)

    def test_events_are_listed_by_pattern(self):
        self.assertEqual(len(self.ask("rx_memory_write").strip().split("\n")), 18)
        self.assertEqual(self.ask("pcie_bdf_200/L*").split()[0], "pcie_bdf_200/L0/")
        events = self.document("pcie_bdf_200/Rx*")["events"]
        self.assertEqual([event["name"] for event in events], ["pcie_bdf_200/Rx_PCIe_TLP_Data_Payload/"])
        self.assertEqual(events[0]["explained"]["counter_bits"], 64)
        self.assertEqual(events[0]["pcie"]["direction"], "to_memory")

    def test_verbose_explains_events(self):
        text = self.ask("-v", "pcie_bdf_200/*")
        for part in ("Time based, group 1: payload of TLPs", "a disk's reads", "its table 32; its own run of 6,777,637,176 units",
                     "As per cent of the window: 100 x count / count of one_cycle", "lane=*", "raw x 16 bytes"):
            self.assertIn(part, text)

    def test_verbose_lists_terms_with_their_bits(self):
        terms = "terms eventid=config:0-15  lane=config:20-27  type=config:16-19"
        self.assertIn(terms, self.ask("-v"))
        self.assertNotIn(terms, self.ask())
        self.assertIn(f"pcie_bdf_200: type 22, CPU 0; {terms}", self.ask("-v", "pcie_bdf_200/L0/"))
        self.assertIn(f"pcie_bdf_200: type 22, CPU 0; {terms}", self.ask("pcie_bdf_200"))
        bits = {"eventid": "config:0-15", "lane": "config:20-27", "type": "config:16-19"}
        self.assertEqual(self.document()["pmus"][0]["terms"], bits)
        self.assertEqual([pmu["name"] for pmu in self.document("-v", "pcie_bdf_200/L0/")["pmus"]], ["pcie_bdf_200"])

    def test_without_tracefs_it_says_how_to_mount_it(self):
        self.assertIn("mount -t tracefs nodev /sys/kernel/tracing", self.ask())
        done = pmu_list(f"--root={self.folder.name}", "block:*")
        self.assertEqual(done.returncode, 2)
        self.assertIn("mount -t tracefs", done.stderr)


class PmuListOfOtherProcessors(unittest.TestCase):
    def listed(self, family, *arguments):
        folder = tempfile.TemporaryDirectory(prefix="fathom-pmu-")
        self.addCleanup(folder.cleanup)
        recorded.unpack(pathlib.Path(os.environ["FATHOM_SOURCE"], "tests/pmu/sysfs", family + ".txt"), folder.name)
        done = pmu_list(f"--root={folder.name}", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_two_kinds_of_core_are_listed_apart(self):
        text = self.listed("biglittle")
        for lines in ("  armv8_cortex_a53\n    type 8, CPU 0,1,2,3, 2 named events\n", "  armv8_cortex_a72\n    type 9, CPU 4,5, 2 named events\n"):
            self.assertIn(lines, text)
        self.assertIn("  uncore_imc_0  uncore_imc_1\n    type 20, CPU 0, 1 named event\n", self.listed("uncore_imc"))

    def test_a_pmu_without_a_type_is_listed_as_such(self):
        self.assertIn("no readable type", self.listed("notype"))
        self.assertIsNone(json.loads(self.listed("notype", "--output-format=json"))["pmus"][0]["type"])


class PmuListWithoutPmu(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="fathom-pmu-")
        self.addCleanup(self.folder.cleanup)

    def ask(self, *arguments):
        done = pmu_list(f"--root={self.folder.name}", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_overview_says_there_is_none(self):
        text = self.ask()
        self.assertIn("PMUs (0)", text)
        self.assertIn("no PMU of this machine counts it", text)
        self.assertIn("none on this machine", text)

    def test_every_event_of_the_data_file_is_explained(self):
        text = self.ask("-v", "dwc_pcie")
        self.assertIn("no PMU of this machine has these events", text)
        with open(EVENTS / "dwc_pcie.csv") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 97)
        for row in rows:
            if row["event_name"] != "Reserved":
                self.assertIn(f"{row['event_name']}: {row['what']}", text)
        self.assertEqual(len(re.findall(r"(?m)^(?:Time based,|Event counter,) group \d", text)), 10)
        self.assertIn("contradiction: ", text)

    def test_rules_of_absent_pmus_are_explained(self):
        text = self.ask("-v", "amd_df")
        self.assertIn("raw x 64 bytes (amd_df: ", text)
        self.assertIn("AuthenticAMD:25:16-31", text)


class PmuListOfThisMachine(unittest.TestCase):
    def test_lists_the_pmus_in_sysfs(self):
        names = sorted(os.listdir("/sys/bus/event_source/devices"))
        document = json.loads(pmu_list("--output-format=json").stdout)
        self.assertEqual([pmu["name"] for pmu in document["pmus"]], names)
        self.assertIn("page-faults", document["software_events"])
        text = pmu_list().stdout
        for name in names:
            self.assertIn(name, text)

    def test_a_pmu_without_named_events_is_listed_by_name(self):
        silent = [name for name in os.listdir("/sys/bus/event_source/devices")
                  if not os.path.isdir(f"/sys/bus/event_source/devices/{name}/events")]
        self.assertTrue(silent)
        for name in silent:
            done = pmu_list(name)
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)
            self.assertIn(f"{name}: type ", done.stdout)

    def test_a_full_standard_output_exits_with_4(self):
        for arguments in (("list",), ("list", "--help"), ("stat", "--help"), ("--help",)):
            with open("/dev/full", "w") as full:
                done = subprocess.run([FATHOM, "pmu", *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=30)
            self.assertEqual(done.returncode, 4, arguments)
            self.assertIn("standard output", done.stderr)

    def test_mistakes_are_refused_with_the_cause(self):
        for arguments, text in ((("a", "b"), "one pattern at most"), (("--output-format=xml",), "the values are normal, json"),
                                (("--devise=x",), "did you mean `--device`?"), (("page-fautls",), "did you mean `page-faults`?")):
            done = pmu_list(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn(text, done.stderr)

    def test_help_prints_usage(self):
        self.assertTrue(pmu_list("--help").stdout.startswith("usage: fathom pmu list "))


if __name__ == "__main__":
    unittest.main()

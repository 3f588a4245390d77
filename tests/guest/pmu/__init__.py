"""A real perf core sharing out a real counter: a module of ours registers the PMUs of two root ports and feeds them from the bytes of the emulated disks
behind them. An emulated clock depends on the other work of the host."""
import pathlib

import machine
from pmu import kernel_module

PRELUDE = pathlib.Path(__file__).with_name("prelude.sh").read_text()
MODULES = ["ahci", "sd_mod", "loop", "zram", "crc32c_generic", "ext4", "aer_inject", "dm_delay", "configfs"]
LATER = ["null_blk"]
TOOLS = ["mkfs.ext4", "dmsetup"]
PROGRAMS = {"guest_pmu": machine.BUILD / "guest_pmu"}
FILES = {"lib/fathom_test_pmu.ko": kernel_module.built}
ATTEMPTS = 3

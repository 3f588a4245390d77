# label: guests
# timeout: 1500
# alone: an emulated machine's clock shares out a counter
# cost: 300
"""The tests of Debian's full kernel 6.1, which has zswap, drivers for SATA and simulated flash memory, and modules of ext4 and AER. Each memory node has a CPU. The IOMMU stays off:
the delays of pmu are compared with those that QEMU makes."""
import sys

import debian_packages
import guests
import machine
from paging import sets, zswap
from pmu import classic, counting, delayed, joined, journal, lies, mix, phase, split
from run import flash

sys.exit(guests.main(
    debian_packages.FULL_6_1,
    ({"node_cpus": machine.ONE_EACH, "iommu": machine.IOMMU_OFF}, [zswap, sets, counting, phase, lies, split, joined, journal, delayed, classic, mix, flash])))

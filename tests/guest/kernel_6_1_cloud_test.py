# label: guests
# timeout: 1500
# lock: guest
# cost: 200
"""The tests of Debian's cloud kernel 6.1, two boots: the width of the IOMMU belongs to the machine, so the second one, of 48 bits, is another machine. It has
only the tests that depend on the width. They are last in the first one too: they take a controller away, and each reset may be QEMU's end."""
import sys

import debian_packages
import guests
from learn import soft_dirty
from nvme import driver, tool
from paging import box, foreign, limit, placement, squeeze, unit
from run import options, stack, zones

sys.exit(guests.main(
    debian_packages.CLOUD_6_1,
    ({"aw_bits": 39}, [soft_dirty, unit, limit, box, foreign, placement, squeeze, options, stack, zones, driver]),
    ({"aw_bits": 48}, [tool])))

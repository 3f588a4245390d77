# label: guests
# timeout: 500
# lock: guest
# cost: 45
"""The tests of the cloud kernel 6.12 that Debian offers beside 6.1, which has DAMON, and whose scsi_debug fails chosen
commands."""
import sys

import debian_packages
import guests
import machine
from learn import damon
from run import zone_errors

sys.exit(guests.main(debian_packages.CLOUD_6_12, ({"iommu": machine.IOMMU_OFF}, [damon, zone_errors])))

"""Each neighbour beside each job, once, on each disk (foreign.py). `scripts/check foreign` does it twenty times."""
# label: kernel
# timeout: 300
# alone: who did how much on a disk: others of ours would be among them
import os
import sys

import foreign
from audited import Checks, folder, has_disk


def one(checks, found, situation, strength):
    disk, kind, job = situation
    wrong, fathom = foreign.once(found, disk, kind, job, strength)
    checks.check(not wrong, f"{disk}: {job} beside a {strength} {kind}: {wrong or fathom['audit']['line']}")


def main():
    checks = Checks()
    with folder() as where:
        if not has_disk(where):
            print("skipped: /var/tmp lies on no disk that the block layer counts")
            return 77
        if os.geteuid() != 0:
            print("skipped: only root may see what others' processes did")
            return 77
        with foreign.disks(where) as found:
            for number, situation in enumerate(foreign.situations(found)):
                checks.in_attempts(one, found, situation, list(foreign.STRENGTHS)[number % 2])
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())

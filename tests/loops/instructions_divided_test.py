# label: timing
# timeout: 300
"""User instructions of an I/O that --breakdown=all divides. Its loop looks for what the kernel saw until it has it, and holds clocks together by the
millisecond: the count grows with the time that the disk and the system calls take. Counted: 1,053 on an idle machine, 1,072 beside busy processes,
1,192 on a virtual machine whose system calls and page faults are slow."""
import sys

import instructions_test

CASES = [("psync, direct randread, each I/O divided", 1250, instructions_test.FILE + ["--ioengine=psync", "--direct=1", "--breakdown=all"])]

if __name__ == "__main__":
    sys.exit(instructions_test.main(CASES))

"""`fathom paging` under cgroup v2, with two memory nodes, swapping to an NVMe disk."""
import pathlib

PRELUDE = pathlib.Path(__file__).with_name("prelude.sh").read_text()
MODULES = ["zram", "lzo_rle"]

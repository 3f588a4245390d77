"""Runs a test again in network, mount and process namespaces of its own. So its servers may use any port, nothing outside reaches them, and none of them
outlives the test. /run is empty and its own, too."""
import os
import shutil
import subprocess
import sys

MARK = "FATHOM_OWN_NETWORK"


def enter(*programs):
    """Returns in the namespaces. Exits with 77 if they, or a program, cannot be had. Call it before anything else."""
    missing = [name for name in ("unshare", "ip", "mount", *programs) if shutil.which(name) is None]
    if missing or os.getuid() != 0:
        print(f"skipped: {', '.join(missing) or 'root'} is missing")
        sys.exit(77)
    if os.environ.get(MARK):
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        subprocess.run(["mount", "-t", "tmpfs", "none", "/run"], check=True)
        return
    words = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", sys.executable, os.path.abspath(sys.argv[0]), *sys.argv[1:]]
    sys.exit(subprocess.run(words, env={**os.environ, MARK: "1"}).returncode)

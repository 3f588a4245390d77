"""Roots for the tests of packages: a bare Debian 12 from mmdebstrap, which is made once, and one that has nothing but some packages' files. A command runs
in a root with its own mounts, and with nothing of this machine's environment; the root is removed afterwards."""
import os
import pathlib
import shutil
import subprocess
import tempfile

SOURCES = pathlib.Path("/etc/apt/sources.list.d/debian.sources")  # the machine's mirror, if it is named there
ENTER = """
root=$1; shift
mkdir -p "$root"/proc "$root"/sys "$root"/dev "$root"/tmp "$root"/var/tmp
mount --bind "$root" "$root" && mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" && mount --rbind /dev "$root/dev"
exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"
"""
# Of a running system: mounts, and what apt, dpkg and ldconfig keep for themselves.
NOT_COUNTED = ("proc", "sys", "dev", "run", "tmp", "var/tmp", "var/cache", "var/log", "var/lib/apt", "var/lib/dpkg", "etc/ld.so.cache")


def run(*command, **more):
    """Its standard output. What it printed is shown if it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command}: status {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def what_is_missing():
    """Why no root can be made here, or None."""
    if os.geteuid() != 0:
        return "a root is entered as root"
    return None if shutil.which("mmdebstrap") else "mmdebstrap is not installed (scripts/setup --dev)"


def debian(folder):
    """The archive of a bare Debian 12."""
    archive = folder / "bookworm.tar"
    if not archive.exists():
        settings = [row for row in run("apt-config", "dump").splitlines() if row.startswith(("Acquire::Check-", "Acquire::http", "Acquire::https"))]
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = folder / "unfinished.tar"
        run("mmdebstrap", "--quiet", "--variant=minbase", *(f"--aptopt={row}" for row in settings), "bookworm", unfinished, *([SOURCES] if SOURCES.exists() else []))
        unfinished.rename(archive)
    return archive


class Root:
    """A directory that fill(path) fills."""

    def __init__(self, fill):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="fathom-root-", dir="/var/tmp"))
        fill(self.path)
        resolver = pathlib.Path("/etc/resolv.conf")
        if resolver.exists():
            (self.path / "etc").mkdir(exist_ok=True)
            shutil.copyfile(resolver, self.path / "etc/resolv.conf")

    @classmethod
    def of_debian(cls, folder):
        archive = debian(folder)
        return cls(lambda path: run("tar", "-xf", archive, "-C", path))

    def remove(self):
        run("rm", "-rf", "--one-file-system", self.path)

    def enter(self, *command):
        """The finished process."""
        words = ["unshare", "--mount", "--propagation", "private", "bash", "-e", "-c", ENTER, "enter", self.path, *command]
        return subprocess.run([str(word) for word in words], capture_output=True, text=True)

    def run(self, *command):
        done = self.enter(*command)
        if done.returncode != 0:
            raise AssertionError(f"{command} in the root: status {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return done.stdout

    def files(self):
        """Paths of files, links and directories, but what NOT_COUNTED names."""
        found = set()
        for folder, names, files in os.walk(self.path):
            here = pathlib.Path(folder).relative_to(self.path)
            names[:] = [name for name in names if (here / name).as_posix() not in NOT_COUNTED]
            found |= {path for name in names + files if (path := (here / name).as_posix()) not in NOT_COUNTED}
        return found

"""What the guest is made of and nobody here wrote or configured: Debian's cloud kernel, newest version resolved at run time, and its static
busybox. Packages are unpacked into a cache folder, not installed, so no root is needed and nothing on this machine changes. What lies in
the cache is used again, so that a second run needs no network."""
import lzma
import os
import pathlib
import re
import shutil
import subprocess

KERNEL = "linux-image-cloud-amd64", r"linux-image-[0-9][\w.+-]*-cloud-amd64"  # a package of no content, and what it depends on
BUSYBOX = "busybox-static", None
APT_TIMEOUT_S = 60
PRIVATE_APT = """#clear APT::Architectures;
APT::Architecture "amd64";
APT::Architectures {{ "amd64"; }};
APT::Sandbox::User "";
Dir::State "{0}";
Dir::State::status "{0}/status";
Dir::Cache "{0}";
"""


class Missing(Exception):
    """What the guest needs is not to be had here: a reason to skip."""


class Apt:
    """apt with the system's lists, or with lists of its own in a folder."""

    def __init__(self, folder=None):
        self.folder, self.options = folder, []
        if folder:
            for name in ("lists/partial", "archives/partial"):
                (folder / name).mkdir(parents=True, exist_ok=True)
            (folder / "status").touch()
            (folder / "conf").write_text(PRIVATE_APT.format(folder.resolve()))
            self.options = ["-c", str(folder / "conf")]
            self("apt-get", "update", "-qq")

    def __call__(self, tool, *words, cwd=None):
        try:
            return subprocess.run([tool, *self.options, *words], capture_output=True, text=True, cwd=cwd, timeout=APT_TIMEOUT_S).stdout
        except subprocess.TimeoutExpired:
            return ""

    def download(self, package, pattern, place):
        """The package, or the one it depends on whose name fits the pattern, into a folder; what goes wrong shows in the folder."""
        named = re.search(pattern, self("apt-cache", "depends", package)) if pattern else None
        if named or not pattern:
            self("apt-get", "download", "-qq", named.group() if named else package, cwd=place)


def newest(cache, package, pattern):
    fits = re.compile((pattern or re.escape(package)) + "_")
    return max((p for p in cache.glob("*.deb") if fits.match(p.name)), default=None, key=lambda p: [int(n) for n in re.findall(r"\d+", p.name)])


def unpacked(cache, package, pattern):
    """The folder that holds the package's files."""
    if not newest(cache, package, pattern):
        Apt().download(package, pattern, cache)
    if not newest(cache, package, pattern):  # no lists on this machine, or too old ones
        Apt(cache / "apt").download(package, pattern, cache)
        shutil.rmtree(cache / "apt")
    found = newest(cache, package, pattern)
    if not found:
        raise Missing(f"{package}: apt-get download failed (no network?), and {cache} holds no such package")
    root = cache / found.stem
    if not (root / "complete").exists():
        shutil.rmtree(root, ignore_errors=True)
        subprocess.run(["dpkg", "-x", str(found), str(root)], check=True)
        (root / "complete").touch()
    return root


class Guest:
    """Paths of the bootable image and of busybox, and modules in the order in which they must be inserted."""

    def __init__(self, cache):
        if not all(shutil.which(tool) for tool in ("apt-get", "dpkg")):
            raise Missing("not a Debian system: no apt-get and dpkg to fetch a kernel with")
        cache = pathlib.Path(cache)
        cache.mkdir(parents=True, exist_ok=True)
        root = unpacked(cache, *KERNEL)
        self.busybox = next(unpacked(cache, *BUSYBOX).glob("**/bin/busybox"))
        self.image = next(root.glob("boot/vmlinuz-*"))
        self.release = self.image.name.removeprefix("vmlinuz-")
        self.files = {re.sub(r"\.ko(\.xz)?$", "", p.name).replace("-", "_"): p for p in root.glob("**/*.ko*")}

    def module(self, name):
        path = self.files[name]
        return lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()

    def load_order(self, wanted):
        """[(name, bytes)], whatever a module depends on before it, from the depends= of the modules themselves."""
        order = {}

        def visit(name):
            if name in order:
                return
            content = self.module(name)
            depends = re.search(rb"\0depends=([^\0]*)\0", content)
            for other in filter(None, depends.group(1).decode().split(",") if depends else []):
                visit(other.replace("-", "_"))
            order[name] = content

        for name in wanted:
            visit(name)
        return list(order.items())


def cache_folder():
    return pathlib.Path(os.environ.get("FATHOM_BUILD", "build")) / "guest"

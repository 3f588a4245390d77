"""What the guest is made of and nobody here wrote or configured: one of Debian's kernels, newest version resolved at run time, and Debian's
static busybox; and the headers that a module for that very kernel is built against. Packages are unpacked into a cache folder, not installed, so no
root is needed and nothing on this machine changes. A package in the cache is used again, so a second run needs no network."""
import lzma
import pathlib
import re
import shutil
import subprocess

# A package of no content, and what it depends on. The newer kernel has a folder of its own: among the others it would be taken for the newest.
CLOUD_6_1 = "linux-image-cloud-amd64", r"linux-image-[0-9][\w.+-]*-cloud-amd64"
FULL_6_1 = "linux-image-amd64", r"linux-image-[0-9.]+-[0-9]+-amd64"
CLOUD_6_12 = "linux-image-6.12-cloud-amd64", r"linux-image-6\.12[0-9.]*\+deb12-cloud-amd64", "newer"
BUSYBOX = "busybox-static", None
NOT_NEEDED = ("*/drivers/gpu", "*/drivers/media", "*/drivers/net", "*/drivers/infiniband", "*/kernel/net", "*/kernel/sound")
APT_TIMEOUT_S = 120
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
        unpack(found, root, without=NOT_NEEDED if package.startswith("linux-image") else ())
        (root / "complete").touch()
    return root


def unpack(package, root, without=()):
    root.mkdir(parents=True, exist_ok=True)
    content = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "--no-same-owner", "-C", str(root), *(f"--exclude={w}" for w in without)], stdin=content.stdout, check=True)
    if content.wait() != 0:
        raise Missing(f"{package}: dpkg-deb cannot read it")


def headers(cache, release, version):
    """The folder to build modules of one kernel in (make -C): the headers of the very same version of the package, and the programs that
    use them, unpacked below one root. One path in them is absolute; it is put right."""
    base = re.match(r"(\d+\.\d+)\.", release).group(1)
    flavour = re.match(r"[\d.]+-\d+-", release).group()
    root = cache / f"headers-{release}-{version}".replace("%3a", "_")
    folder = root / f"usr/src/linux-headers-{release}"
    if (root / "complete").exists():
        return folder
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    for wanted in (f"linux-headers-{release}={version}", f"linux-headers-{flavour}common={version}", f"linux-kbuild-{base}"):
        package = wanted.partition("=")[0]  # the headers accept every later linux-kbuild, and the archive keeps only the newest
        Apt().download(wanted, None, root)
        if not newest(root, package, None):
            Apt(root / "apt").download(wanted, None, root)
        found = newest(root, package, None)
        if not found:
            raise Missing(f"{wanted}: apt-get download failed (no network, or the archive has a newer kernel than {cache})")
        unpack(found, root)
        found.unlink()
    makefile = folder / "Makefile"
    makefile.write_text(makefile.read_text().replace("include /usr/", f"include {root.resolve()}/usr/"))
    (root / "complete").touch()
    return folder


class Guest:
    """Paths of the bootable image and of busybox, and modules in the order in which they must be inserted."""

    def __init__(self, cache, package, pattern, folder=""):
        if not all(shutil.which(tool) for tool in ("apt-get", "dpkg")):
            raise Missing("not a Debian system: no apt-get and dpkg to fetch a kernel with")
        cache = pathlib.Path(cache, folder)
        cache.mkdir(parents=True, exist_ok=True)
        self.cache, root = cache, unpacked(cache, package, pattern)
        self.version = root.name.split("_")[1]
        self.busybox = next(unpacked(cache, *BUSYBOX).glob("**/bin/busybox"))
        self.image = next(root.glob("boot/vmlinuz-*"))
        self.release = self.image.name.removeprefix("vmlinuz-")
        self.files = {re.sub(r"\.ko(\.xz)?$", "", p.name).replace("-", "_"): p for p in root.glob("**/*.ko*")}
        builtin = next(root.glob("**/modules.builtin")).read_text()
        self.builtin = {name.replace("-", "_") for name in re.findall(r"([^/]+)\.ko$", builtin, re.M)}

    def module(self, name):
        path = self.files[name]
        return lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()

    def load_order(self, wanted):
        """[(name, bytes)], whatever a module depends on before it, from the depends= of the modules themselves."""
        order = {}

        def visit(name):
            if name in order or name in self.builtin:
                return
            content = self.module(name)
            depends = re.search(rb"\0depends=([^\0]*)\0", content)
            for other in filter(None, depends.group(1).decode().split(",") if depends else []):
                visit(other.replace("-", "_"))
            order[name] = content

        for name in wanted:
            visit(name)
        return list(order.items())

"""A package of Debian, unpacked into a folder and not installed."""
import pathlib
import subprocess
import unittest


def unpacked(folder, package):
    """package: name, or name=version. Returns the folder with its files."""
    at = pathlib.Path(folder) / package.partition("=")[0]
    at.mkdir()
    subprocess.run(["apt-get", "download", "-qq", package], cwd=at, check=False, capture_output=True)
    files = list(at.glob("*.deb"))
    if not files:
        raise unittest.SkipTest(f"{package} cannot be fetched")
    subprocess.run(["dpkg", "-x", files[0], at], check=True)
    return at

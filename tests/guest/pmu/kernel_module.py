"""Builds fathom_test_pmu.ko for the guest's kernel, in a folder of its own: with the headers of the very same version of the kernel's
package and the compiler that they ask for (gcc-12), nothing installed."""
import pathlib
import shutil
import subprocess

import debian_packages

SOURCE = pathlib.Path(__file__).with_name("fathom_test_pmu.c")


def built(guest, folder):
    """The module's bytes, or debian_packages.Missing with the reason."""
    for tool in ("make", "gcc-12"):
        if not shutil.which(tool):
            raise debian_packages.Missing(f"{tool} is not installed (scripts/setup --test)")
    headers = debian_packages.headers(guest.cache, guest.release, guest.version)
    folder = pathlib.Path(folder) / "module"
    folder.mkdir()
    shutil.copy(SOURCE, folder)
    (folder / "Kbuild").write_text(f"obj-m := {SOURCE.stem}.o\n")
    made = subprocess.run(["make", "-C", str(headers), f"M={folder}", "modules"], capture_output=True, text=True)
    result = folder / f"{SOURCE.stem}.ko"
    if made.returncode or not result.exists() or "warning:" in made.stderr:
        raise RuntimeError(f"{SOURCE.name} does not build cleanly against {guest.release}:\n{made.stdout[-2000:]}{made.stderr[-4000:]}")
    return result.read_bytes()

"""The documents that the golden tests make, whole: what is committed is their folded form (fold.h). Written anew by build/test_report."""
import os
import pathlib
import subprocess
import sys
import tempfile

FOLDER = tempfile.TemporaryDirectory(prefix="fathom-documents-")


PROGRAM = os.path.join(os.environ.get("FATHOM_BUILD", ""), "test_report")


def made():
    """Where they lie: simple.json, grouped.json, ..., paging.xml, paging.csv. None where the program is not built."""
    if not os.access(PROGRAM, os.X_OK):
        return None
    environment = {**os.environ, "FATHOM_DOCUMENTS": FOLDER.name}
    environment.pop("FATHOM_REGOLD", None)
    subprocess.run([PROGRAM, "--gtest_filter=*Golden*"], env=environment, stdout=subprocess.DEVNULL, timeout=60)
    return pathlib.Path(FOLDER.name)


def folder():
    """The same; ends the test as skipped where there is none."""
    if not made():
        print(f"skipped: {PROGRAM} is not built, which makes the documents")
        sys.exit(77)
    return pathlib.Path(FOLDER.name)

"""legacy_vectors.h is what legacy_vectors.py prints."""
import os
import sys

FOLDER = os.path.join(os.environ["FATHOM_SOURCE"], "tests", "paging")
sys.path.insert(0, FOLDER)
sys.dont_write_bytecode = True

import legacy_vectors

with open(os.path.join(FOLDER, "legacy_vectors.h")) as f:
    same = f.read() == legacy_vectors.header()
print("ok" if same else "FAIL: legacy_vectors.h is not what legacy_vectors.py prints")
sys.exit(0 if same else 1)

"""Results for the tests of `fathom compare`: one real run, copied with numbers that are known."""
import copy
import json
import os
import subprocess
import uuid

FATHOM = os.environ.get("FATHOM", "")
CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "import", "corpus_pmbench_xml")
BEGIN_MS = 1_700_000_000_000
APART_MS = 10_000


def fathom(*words, cwd=None):
    return subprocess.run([FATHOM, *words], capture_output=True, text=True, timeout=120, cwd=cwd)


def compare(*words, cwd=None):
    return fathom("compare", *words, cwd=cwd)


class Results:
    """Files in a folder, made from one run of the null engine."""

    def __init__(self, folder, *options):
        self.folder = folder
        self.model = os.path.join(folder, "model.out")
        made = fathom("run", "--name=t", "--ioengine=null", "--size=8m", "--rw=randread", "--clock-check=skip", "--audit=off", "--output-format=json",
                      "--output=" + self.model, *options)
        assert made.returncode == 0, made.stderr
        with open(self.model) as file:
            self.document = json.load(file)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, document):
        with open(self.path(name), "w") as file:
            json.dump(document, file)
        return self.path(name)

    def run(self, name, iops, place, change=None):
        """A file of one run with so many I/Os a second, the so-manieth by time."""
        document = copy.deepcopy(self.document)
        result = document["fathom"]
        read = result["jobs"][0]["read"]
        read["runtime_ns"] = round(read["ios"] * 1e9 / iops)
        read["begin_ns"], read["end_ns"] = 0, read["runtime_ns"]
        result["time_epoch_ms"] = BEGIN_MS + place * APART_MS
        result["run_id"] = str(uuid.uuid4())
        if change:
            change(result)
        return self.write(name, document)

    def side(self, name, rates, places, change=None):
        """Files of one side, with commas between them."""
        return ",".join(self.run(f"{name}{i}.json", rate, place, change) for i, (rate, place) in enumerate(zip(rates, places)))

    def pair(self, a, b, in_turn=True, change_b=None):
        """Two sides, measured in turn or one after the other."""
        n = len(a)
        places_a, places_b = (range(0, 2 * n, 2), range(1, 2 * len(b), 2)) if in_turn else (range(n), range(n, n + len(b)))
        return self.side("a", a, places_a), self.side("b", b, places_b, change_b)

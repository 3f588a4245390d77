"""The JSON report of `fathom run` that a step printed."""
import json

from pieces import decoded


class Run:
    """A report of `fathom run`, read leniently: what is not there is empty, and the check that wanted it fails."""

    def __init__(self, text):
        self.text, self.json = text, decoded(text)
        self.audit = self.json.get("fathom", {}).get("audit", {})
        self.breakdown = self.json.get("fathom", {}).get("breakdown", {})
        self.verdict = self.audit.get("verdict", "")
        self.line = self.audit.get("line", "")

    def moved(self, direction):
        return sum(job[direction]["io_bytes"] for job in self.json.get("jobs", []))

    def errors(self):
        return [job["error"] for job in self.json.get("jobs", [])] or ["no report"]

    def witness(self, source, direction):
        for one in self.audit.get("witnesses", []):
            if one["source"] == source and one["direction"] == direction:
                return one
        return {}

    def diagnoses(self):
        return sorted({one["diagnosis"] for one in self.audit.get("witnesses", []) if one.get("diagnosis")})

    def findings(self):
        return [one["id"] for one in self.json.get("fathom", {}).get("findings", [])]

    def shown(self):
        """For a failed check: the audit, or what came instead of a report."""
        return json.dumps(self.audit, indent=1)[:3000] if self.audit else self.text[-1500:]

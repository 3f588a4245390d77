"""What a step of the guest printed: pieces under "--- NAME" lines, and the report of each `fathom paging` among them."""
import json

from pieces import decoded, pieces


class Run:
    """One call of the prelude's `paging`, read leniently: what is not there is empty, and the check that wanted it fails."""

    def __init__(self, texts, name):
        found = pieces(*texts.values())
        self.text = found.get(name, "it did not run")
        self.said = found.get(f"{name}.said", "")
        self.status = found.get(f"{name}.status", "").strip()
        self.before, self.after = found.get(f"{name}.before"), found.get(f"{name}.after")
        fathom = decoded(self.text).get("fathom", {})
        self.paging, self.audit = fathom.get("paging", {}), fathom.get("audit", {})
        self.findings = {one["id"]: one["evidence"] for one in fathom.get("findings", [])}

    def accesses(self, kind):
        return sum(row["accesses"] for row in self.paging.get("classes", []) if row["class"] == kind)

    def p50_us(self, kind):
        found = [float(v) for row in self.paging.get("classes", []) if row["class"] == kind
                 for k, v in row["latency"].get("percentiles_ns", {}).items() if float(k) == 50]
        return max(found, default=0) / 1000

    def of_workers(self, field):
        return sum(worker[field] for worker in self.paging.get("workers", []))

    def series(self, column):
        return sum(point["kernel"].get(column, 0) for point in self.paging.get("series", []))

    def swap(self):
        return (self.paging.get("pressure", {}).get("swaps", []) or [{}])[0]

    def shown(self):
        """For a failed check: what was said, the findings, the audit."""
        return "\n".join([self.said[-2000:], json.dumps(self.findings, indent=1), json.dumps(self.audit, indent=1)[:2500],
                          "" if self.paging else self.text[-1500:]])


def check_ran(check, run, name):
    check(run.status == "0" and bool(run.paging), f"{name}: it ran", run.shown())
    check_restored(check, run, name)


def check_restored(check, run, name):
    good = run.before is not None and run.before == run.after
    check(good, f"{name}: swaps, cgroups, switches and zram devices are as before", f"before:\n{run.before}\nafter:\n{run.after}")

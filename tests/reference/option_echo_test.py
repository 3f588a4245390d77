# label: test
# timeout: 120
"""Where each option stands in the JSON: `global options` and `job options` of both programs for the same words, order aside.

A bare option has an empty value in fio 3.42, and ours; 3.33 leaves it out, so against that one ours are compared without. fio's are recorded.
"""
import compare

NULL = ["--ioengine=null", "--size=64k"]
FILES = {
    "g.fio": "[global]\nioengine=null\nsize=64k\ngroup_reporting\nthread=1\n[a]\nbs=1k\nnumjobs=2\n[b]\nbs=2k\nstonewall\n[c]\nbs=8k\n"
             "[global]\nrw=randread\n[d]\nnew_group\nnorandommap\n",
    "h.fio": "[global]\nioengine=null\nsize=64k\nthread=1\n[a]\nbs=1k\nnumjobs=2\ngroup_reporting\n[b]\nbs=2k\n[c]\nbs=8k\n",
    "k.fio": "[z]\nioengine=null\nsize=8*$pagesize\nreadwrite=randread\nbs=1k\nblocksize=2k\n",
}
CASES = [
    ("bare and not, in a job", ["--name=a", *NULL, "--group_reporting", "--thread=1", "--norandommap", "--time_based=0"]),
    ("before and after --name", ["--group_reporting", "--ioengine=null", "--name=a", "--size=64k", "--name=b", "--size=128k", "--bs=8k"]),
    ("numjobs", ["--name=a", *NULL, "--numjobs=2"]),
    ("numjobs as a group", ["--name=a", *NULL, "--numjobs=2", "--group_reporting"]),
    ("--name=global", ["--bs=2k", "--name=q", *NULL, "--name=global", "--randrepeat=0", "--name=r", *NULL]),
    ("groups of a file", ["g.fio"]),
    ("some jobs of a group are reported as one", ["h.fio"]),
    ("options before a file", ["--bs=2k", "h.fio"]),
    ("a second file without [global]", ["g.fio", "k.fio"]),
    ("a second file with [global]", ["k.fio", "h.fio"]),
    ("neutral values of what is not built", ["--name=a", *NULL, "--nice=0", "--per_job_logs=1"]),
]


def options_of(outcome):
    report = outcome.report
    jobs = [job for job in report["jobs"] if "jobname" in job]  # 3.33 counts jobs that others took in, and prints them empty
    return [report.get("global options") or {}, *[[job["jobname"], job.get("job options") or {}] for job in jobs]]


def without_bare(options):
    drop = lambda entry: {name: value for name, value in entry.items() if value != ""}
    return [drop(options[0]), *[[name, drop(entry)] for name, entry in options[1:]]]


def found_by(program, words):
    with compare.workspace() as cwd:
        for name, text in FILES.items():
            with open(f"{cwd}/{name}", "w") as f:
                f.write(text)
        return options_of(compare.execute([program, "--output-format=json", *words], cwd))


def main():
    compare.need_fio()
    checks = compare.Checks()
    for name, words in CASES:
        theirs, ours, _ = checks.beside_fio(name, lambda program: found_by(program, words), lambda options: options)
        checks.equal(name, without_bare(ours) if theirs == without_bare(theirs) else ours, theirs)
    checks.done()


main()

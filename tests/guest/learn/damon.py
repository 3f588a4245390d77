"""By DAMON, virtual and physical, which the kernel 6.12 has. It must be off afterwards, also after a SIGKILL and the next start."""
from learn import PAGES, near, observe

DAMON = "/sys/kernel/mm/damon/admin/kdamonds"
DAMON_IS_OFF = f"[ \"$(cat {DAMON}/nr_kdamonds)\" = 0 ] && [ ! -e /run/fathom-damon ] && echo damon is off"
STEPS = [
    ("vaddr", observe(0.99, 70, 0, 8, 20000, "--interval=60ms") + f"; {DAMON_IS_OFF}"),
    ("paddr", observe(0.99, 30, 0, 8, 20000, "--interval=60ms", "'--method=DAMON paddr'") + f"; {DAMON_IS_OFF}"),
    ("killed", f"load {PAGES} 0.99 50 0 40 20000 >/dev/null & P=$!; sleep 2; fathom paging learn --eta=never --duration=20s --interval=20ms --pid=$P & "
               f"for i in $(seq 75); do [ \"$(cat {DAMON}/0/state 2>/dev/null)\" = on ] && break; sleep 0.2; done; "
               f"kill -9 $!; wait $!; cat {DAMON}/0/state; fathom paging learn --eta=never --duration=6s --interval=20ms --pid=$P; {DAMON_IS_OFF}; kill $P"),
    ("taken", f"echo 1 > {DAMON}/nr_kdamonds; echo 1 > {DAMON}/0/contexts/nr_contexts; sleep 100 & "
              f"fathom paging learn --eta=never '--method=DAMON vaddr' --pid=$!; echo status $?; cat {DAMON}/nr_kdamonds; echo 0 > {DAMON}/nr_kdamonds; kill $!"),
]


def check_all(check, text):
    for step, reads in (("vaddr", 70), ("paddr", 30)):
        check(f"method DAMON {step}" in text[step], f"6.12: DAMON {step}", text[step])
        near(check, step, "zipf_theta", 0.99, 0.2, text[step])
        near(check, step, "read_percent", reads, 15, text[step])
        check("damon is off" in text[step], f"{step}: DAMON is off again", text[step])
    check("\non" in "\n" + text["killed"] and "learn.damon_left" in text["killed"] and "damon is off" in text["killed"],
          "killed: what SIGKILL left is restored by the next start", text["killed"])
    check("somebody else" in text["taken"] and "\n1" in text["taken"], "taken: DAMON of others is left alone", text["taken"])

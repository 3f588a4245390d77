"""By soft-dirty bits, which Debian's cloud kernel 6.1 has."""
from learn import near, number, observe

STEPS = [
    ("zipf", observe(0.99, 70, 0, 8, 20000)),
    ("even", observe(0, 0, 0, 5, 20000)),
    ("moving", observe(1.2, 50, 3, 14, 20000, "--interval=40ms")),
    ("command", "fathom paging learn --eta=never --duration=3s --output=/tmp/profile -- load 512 0.99 50 0 4 10000; echo status $?; cat /tmp/profile"),
    ("kernel_thread", "fathom paging learn --pid=2; echo status $?"),
    ("no_damon", "sleep 100 & fathom paging learn '--method=DAMON vaddr' --pid=$!; echo status $?; kill $!"),
]


def check_all(check, text):
    check("method soft-dirty" in text["zipf"], "6.1: soft-dirty bits are what there is", text["zipf"])
    near(check, "zipf", "zipf_theta", 0.99, 0.2, text["zipf"])
    near(check, "zipf", "read_percent", 70, 12, text["zipf"])
    even = number(text["even"], "zipf_theta")  # -1: no exponent is written, and the profile plays its pages equally often
    check(abs(even) <= 0.25 or (even == -1 and "learn.not_zipf" in text["even"]), f"even: zipf_theta {even:g}, was 0 ± 0.25, or none", text["even"])
    near(check, "even", "read_percent", 0, 12, text["even"])
    near(check, "moving", "hot_move_s", 3, 1, text["moving"])
    check(number(text["zipf"], "hot_move_s") == 0, "zipf: the hot set stays", text["zipf"])
    check("status 3" in text["command"] and "zipf_theta" in text["command"], "command: observed, written, and its own exit status handed on", text["command"])
    check("kernel thread" in text["kernel_thread"] and "status 0" not in text["kernel_thread"], "a kernel thread is refused", text["kernel_thread"])
    check("kdamond" in text["no_damon"] or "DAMON_SYSFS" in text["no_damon"], "a kernel without DAMON: said so", text["no_damon"])

"""scripts/bench network: the engines that send over the network, beside a bare loop on the same library (bench/bare/NAME.cc), and beside fio where Debian's fio
has the engine. Random 4 KiB reads of memory of a server: nbdkit, nfs-ganesha (NFS 3), tgt,
a Ceph OSD.

The programs take turns on one CPU, the server has the others. Each round gives one ratio, and the median of the rounds is held against the target
(hotpath.py says why)."""
import collections
import os
import statistics
import sys

import compare
from agree import spread
from hotpath import CPU, against, build_bare, pinned, said
from own_cpu import first_on

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "engine", "network"))
import ceph_server  # noqa: E402
import iscsi_server  # noqa: E402
import nbd_server  # noqa: E402
import nfs_server  # noqa: E402
import own_network  # noqa: E402

DEPTHS = (1, 32)
OVER_FIO, OF_BARE = 1.0, 0.95
SECONDS, QUICK_SECONDS = 3, 1
MIB = 256
OBJECT_MIB = 64  # an object has 128 at most
FILE = "data"

# server(prepare): its context; words(server): the options of a job; address(server): the bare loop's arguments; programs: of the server
Row = collections.namedtuple("Row", "engine server words address in_fio programs")


def nfs_file(server):
    path = server.export / FILE
    if not path.exists():
        path.write_bytes(bytes(MIB << 20))
    return [server.url.replace("?", f"/{FILE}?")]


def make_image(cluster):
    where = f"{ceph_server.POOL}/{FILE}"
    cluster.call("rbd", "create", where, "--size", f"{MIB}M")
    cluster.call("rbd", "bench", "--io-type", "write", "--io-size", "4M", "--io-total", f"{MIB}M", "--io-pattern", "seq", where)


def make_object(cluster):
    (cluster.folder / FILE).write_bytes(bytes(OBJECT_MIB << 20))
    cluster.call("rados", "-p", ceph_server.POOL, "put", FILE, str(cluster.folder / FILE))


def ceph_row(engine, make, *words):
    def address(cluster):
        if not cluster.has_data:
            make(cluster)
            cluster.has_data = True
        return [cluster.config, ceph_server.POOL, FILE]

    def words_of(cluster):
        os.environ["CEPH_CONF"] = str(cluster.config)  # fio's rbd has no option for it, and its rados does not read this
        return [f"--pool={ceph_server.POOL}", *([f"--conf={cluster.config}"] if engine == "rados" else []), *words]

    return Row(engine, lambda prepare: ceph_server.cluster(prepare=prepare), words_of, address, True, ceph_server.PROGRAMS)


ROWS = (Row("nbd", lambda prepare: nbd_server.nbdkit("memory", f"{MIB}M", log=False, prepare=prepare), lambda s: [f"--uri={s.uri}"], lambda s: [s.uri], True, ("nbdkit",)),
        Row("nfs", lambda prepare: nfs_server.ganesha(log=False, prepare=prepare), lambda s: [f"--nfs_url={s.url}", f"--filename={FILE}"], nfs_file, False,
            ("ganesha.nfsd", "rpcbind")),
        Row("libiscsi", lambda prepare: iscsi_server.tgtd(MIB << 20, trace=False, prepare=prepare), lambda s: [f"--filename={s.url}"], lambda s: [s.url], False,
            ("tgtd", "tgtadm")),
        ceph_row("rbd", make_image, f"--rbdname={FILE}"), ceph_row("rados", make_object, f"--filename={FILE}", f"--size={OBJECT_MIB}m"))


def words(row, server, depth, seconds):
    return ["--output-format=json", "--name=j", "--thread", f"--ioengine={row.engine}", *row.words(server), "--rw=randread", "--norandommap", "--bs=4k",
            f"--iodepth={depth}", "--ramp_time=300ms", "--time_based", f"--runtime={seconds}"]


def once(who, given, row, server, depth, seconds):
    """(I/Os per second, share of a CPU that the program used)"""
    if who == "bare":
        rate, share = pinned([os.path.join(given.bare, f"bare_{row.engine}"), *row.address(server), depth, seconds]).split()
        return float(rate), float(share)
    job = compare.parse_report(pinned([compare.FIO if who == "fio" else given.fathom, *words(row, server, depth, seconds)]))["jobs"][0]
    return job["read"]["iops"], (job["usr_cpu"] + job["sys_cpu"]) / 100


def measured(given, row, depth):
    seconds = QUICK_SECONDS if given.quick else SECONDS
    who = ("fio", "fathom", "bare") if row.in_fio else ("fathom", "bare")
    rounds, shares = {name: [] for name in who}, {name: [] for name in who}
    others = frozenset(os.sched_getaffinity(0)) - {CPU} or {CPU}
    with row.server(first_on(others)) as server:
        row.address(server)
        for number in range(given.rounds):
            first = number % len(who)
            for name in who[first:] + who[:first]:
                rate, share = once(name, given, row, server, depth, seconds)
                rounds[name].append(rate)
                shares[name].append(share)
    waits = {name: [1] * given.rounds for name in who}  # all wait for the server, so a share of the CPU decides nothing
    found = {"name": f"{row.engine}, 4k randread, depth {depth}", "iops": rounds, "cpu_share": shares,
             "median": {name: statistics.median(values) for name, values in rounds.items()}, "spread": {name: spread(values) for name, values in rounds.items()},
             **({"over_fio": against(rounds, waits, "fio", OVER_FIO)} if row.in_fio else {}), "of_bare": against(rounds, waits, "bare", OF_BARE)}
    sides = "".join(f"{name} {found['median'][name]:8.0f}/s (+-{found['spread'][name] * 50:2.0f} %)  " for name in who)
    print(f"{found['name']:32} {sides}{said(found, 'over_fio', 'x fio') if row.in_fio else ''}{said(found, 'of_bare', 'of bare')}".rstrip(), flush=True)
    return found


def run(given):
    chosen = [(row, depth) for row in ROWS for depth in DEPTHS if given.only in f"{row.engine}, depth {depth}"]
    own_network.enter(*sorted({program for row, _ in chosen for program in row.programs}))
    build_bare(given.bare)
    return {"cpu": CPU, "server": f"memory of {MIB} MiB: nbdkit, nfs-ganesha, tgt, Ceph", "rows": [measured(given, row, depth) for row, depth in chosen]}

"""A Ceph cluster of one monitor and one OSD, which keeps its objects in memory, as the server of a test. The OSD's own counters are the judge. It runs in the
test's own network (own_network.py)."""
import collections
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import uuid

PROGRAMS = ("ceph", "ceph-mon", "ceph-osd", "ceph-authtool", "monmaptool", "rbd", "rados")
MON = "[v2:127.0.0.1:13300,v1:127.0.0.1:16789]"
POOL = "p"
CONFIG = """[global]
fsid = {fsid}
mon_host = {mon}
auth_cluster_required = cephx
auth_service_required = cephx
auth_client_required = cephx
keyring = {folder}/keyring
run_dir = {folder}
admin_socket = {folder}/$name.asok
log_file = {folder}/$name.log
mon_allow_pool_size_one = true
mon_warn_on_pool_no_redundancy = false
osd_pool_default_size = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
{more}
[client]
admin_socket =
log_file =
[mon]
mon_data = {folder}/mon
mon_cluster_log_file = {folder}/cluster.log
[osd]
osd_data = {folder}/osd
osd_objectstore = memstore
memstore_device_bytes = 4294967296
osd_class_dir = /usr/lib/x86_64-linux-gnu/rados-classes
"""
# Of clients: requests and bytes of data. An operation that is neither counts in neither.
Counted = collections.namedtuple("Counted", "reads read_bytes writes written_bytes")


class Cluster:
    def __init__(self, folder, prepare=None):
        self.folder, self.config, self.processes = folder, folder / "ceph.conf", {}
        self.prepare, self.has_data = prepare, False

    def call(self, program, *words, check=True):
        done = subprocess.run([program, "-c", self.config, *words], capture_output=True, text=True, timeout=60)
        assert not check or done.returncode == 0, f"{program} {words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def start(self, name, *words):
        program, _, number = name.partition(".")
        self.processes[name] = subprocess.Popen([f"ceph-{program}", "-c", self.config, "-i", number, "-f", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                                preexec_fn=self.prepare)

    def counted(self):
        osd = json.loads(self.call("ceph", "--admin-daemon", self.folder / "osd.0.asok", "perf", "dump", "osd"))["osd"]
        return Counted(osd["op_r"], osd["op_r_out_bytes"], osd["op_w"], osd["op_w_in_bytes"])

    def stop(self, how):
        """Sends a signal to the OSD."""
        self.processes["osd.0"].send_signal(how)


@contextlib.contextmanager
def cluster(more="", prepare=None):
    with tempfile.TemporaryDirectory(prefix="fathom-ceph-") as name:
        folder = pathlib.Path(name)
        of = Cluster(folder, prepare)
        (folder / "osd").mkdir()
        fsid, osd = str(uuid.uuid4()), str(uuid.uuid4())
        of.config.write_text(CONFIG.format(fsid=fsid, mon=MON, folder=folder, more=more))
        try:
            of.call("ceph-authtool", "--create-keyring", folder / "keyring", "--gen-key", "-n", "mon.", "--cap", "mon", "allow *")
            of.call("ceph-authtool", folder / "keyring", "--gen-key", "-n", "client.admin", "--cap", "mon", "allow *", "--cap", "osd", "allow *")
            of.call("ceph-authtool", folder / "keyring", "--gen-key", "-n", "osd.0", "--cap", "mon", "allow profile osd", "--cap", "osd", "allow *")
            of.call("monmaptool", "--create", "--addv", "a", MON, "--fsid", fsid, folder / "monmap")
            of.call("ceph-mon", "-i", "a", "--mkfs", "--monmap", folder / "monmap")
            of.start("mon.a")
            of.call("ceph", "osd", "new", osd)
            of.call("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", osd)
            of.start("osd.0")
            of.call("ceph", "osd", "pool", "create", POOL, "8")
            of.call("rados", "-p", POOL, "put", "ready", "/dev/null")  # waits for the OSD
            yield of
        finally:
            for process in of.processes.values():
                process.send_signal(signal.SIGKILL)
                process.wait()


if __name__ == "__main__":  # tries it by hand
    import own_network
    own_network.enter(*PROGRAMS)
    began = time.monotonic()
    with cluster() as one:
        print(f"{time.monotonic() - began:.1f} s", one.counted())
        os.environ["CEPH_CONF"] = str(one.config)
        subprocess.run(os.environ.get("SHELL", "/bin/sh"))

"""nfs-ganesha as the server of a test. Its log names every request, which is the server's own count. It runs in the test's own network (own_network.py): the
port mapper that NFS 3 needs has a fixed port."""
import collections
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

GANESHA = shutil.which("ganesha.nfsd", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/bin")
PORT, MOUNT_PORT = 12049, 12050
REQUEST = re.compile(r"Calling NFS3_(READ|WRITE|COMMIT) File Handle V3: Len=\d+ 0x\w+(?: start: (\w+) len: (\d+))?(?: (\w+))?")
REQUEST_4 = re.compile(r"process_one_op :NFS4 :DEBUG :Request \d+: opcode \d+ is OP_(READ|WRITE|COMMIT)$", re.M)
Counted = collections.namedtuple("Counted", "requests bytes stable")
CONFIG = """NFS_CORE_PARAM {{ Protocols = 3, 4; NFS_Port = {port}; MNT_Port = {mount_port}; mount_path_pseudo = true; Enable_NLM = false; Enable_RQUOTA = false; }}
NFSV4 {{ Graceless = true; RecoveryBackend = fs; }}
NFS_KRB5 {{ Active_krb5 = false; }}
EXPORT {{ Export_Id = 1; Path = {export}; Pseudo = /export; Protocols = 3, 4; Access_Type = {access}; Squash = {squash}; SecType = sys; FSAL {{ Name = VFS; }} }}
"""
LOG = "LOG { COMPONENTS { NFS3 = FULL_DEBUG; NFS4 = FULL_DEBUG; } }\n"


class Server:
    def __init__(self, process, folder, export):
        self.process, self.export, self.log = process, export, folder / "log"
        self.url = f"nfs://127.0.0.1/export?nfsport={PORT}&mountport={MOUNT_PORT}"
        self.url_4 = f"nfs://127.0.0.1/export?version=4&nfsport={PORT}"

    def counted(self):
        """{READ, WRITE, COMMIT: requests, bytes, requests for stable storage} of NFS 3, by the server."""
        rows = REQUEST.findall(self.log.read_text())
        return {kind: Counted(sum(row[0] == kind for row in rows), sum(int(row[2] or 0) for row in rows if row[0] == kind),
                              sum(row[3] == "FILE_SYNC" for row in rows if row[0] == kind)) for kind in {row[0] for row in rows}}

    def counted_4(self):
        """{READ, WRITE, COMMIT: requests} of NFS 4."""
        return collections.Counter(REQUEST_4.findall(self.log.read_text()))

    def places(self, kind):
        """(offset, length) of the requests of a kind, NFS 3."""
        return [(int(row[1], 16), int(row[2])) for row in REQUEST.findall(self.log.read_text()) if row[0] == kind]

    def forget(self):
        os.truncate(self.log, 0)  # the server appends

    def stop(self, how):
        self.process.send_signal(how)


@contextlib.contextmanager
def ganesha(access="RW", squash="No_Root_Squash", export=None, log=True, prepare=None):
    if not os.path.exists("/run/rpcbind.sock"):
        subprocess.run(["rpcbind"], check=True)
    with tempfile.TemporaryDirectory(prefix="fathom-nfs-") as name:
        folder = pathlib.Path(name)
        export = export or folder / "export"
        export.mkdir(exist_ok=True)
        (folder / "config").write_text(CONFIG.format(port=PORT, mount_port=MOUNT_PORT, export=export, access=access, squash=squash) + (LOG if log else ""))
        process = subprocess.Popen([GANESHA, "-F", "-f", folder / "config", "-L", folder / "log", "-p", folder / "pid", "-N", "NIV_EVENT"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=prepare)
        try:
            server = Server(process, folder, export)
            while not (server.log.exists() and "NFS SERVER INITIALIZED" in server.log.read_text()):
                assert process.poll() is None, f"ganesha.nfsd ended with {process.returncode}\n{server.log.read_text()[-2000:]}"
                time.sleep(0.02)
            for port in (PORT, MOUNT_PORT):
                socket.create_connection(("127.0.0.1", port), timeout=10).close()
            server.forget()
            yield server
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait()

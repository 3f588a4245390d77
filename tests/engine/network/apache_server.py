"""apache2 with mod_dav as the server of a test: started for it, with a line per request, which is the server's own count."""
import collections
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

APACHE = shutil.which("apache2") or shutil.which("apache2", path="/usr/sbin:/sbin")
MODULES = ("mpm_event", "authn_core", "authz_core", "authz_user", "auth_basic", "authn_file", "dav", "dav_fs", "dav_lock", "alias", "reqtimeout")
Counted = collections.namedtuple("Counted", "requests bytes")
CONFIG = """
ServerRoot {folder}
ServerName 127.0.0.1
PidFile {folder}/pid
{modules}
Listen 127.0.0.1:{port}
{user}
StartServers 1
ThreadsPerChild 64
ThreadLimit 64
MaxRequestWorkers 64
MaxKeepAliveRequests {keep_alive}
KeepAliveTimeout 60
ErrorLog {folder}/errors
LogFormat "%m %>s %{{Content-Length}}i %B %{{c}}a:%{{remote}}p %k %U" counted
CustomLog {folder}/log counted
DavLockDB {folder}/locks
{tls}
DocumentRoot {folder}/objects
<Directory {folder}/objects>
  Dav On
  {access}
</Directory>
"""
LOGIN = """AuthType Basic
  AuthName objects
  AuthUserFile {folder}/users
  Require valid-user"""
TLS = """SSLEngine on
SSLCertificateFile {folder}/certificate
SSLCertificateKeyFile {folder}/key"""


class Server:
    def __init__(self, process, folder, port):
        self.process, self.folder, self.port = process, folder, port
        self.host, self.objects = f"127.0.0.1:{port}", folder / "objects"

    def rows(self):
        """[method, status, bytes of the request's body, of the answer's, client, requests before it on its connection, path]"""
        return [line.split(" ", 6) for line in (self.folder / "log").read_text().splitlines()]

    def counted(self, expected=None, status=lambda status: status < 300):
        """{method: requests, bytes of bodies}. A request is logged after its answer, so a test names the number that it expects: the log is read until it has it."""
        end = time.monotonic() + 10
        while expected is not None and len(self.rows()) < expected and time.monotonic() < end:
            time.sleep(0.005)
        rows = [row for row in self.rows() if status(int(row[1]))]
        moved = {"PUT": 2, "GET": 3}
        return {method: Counted(sum(row[0] == method for row in rows), sum(int(row[moved[method]]) for row in rows if row[0] == method) if method in moved else 0)
                for method in {row[0] for row in rows}}

    def connections(self):
        return len({row[4] for row in self.rows()})

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def self_signed(folder):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", folder / "key", "-out", folder / "certificate",
                    "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)


@contextlib.contextmanager
def apache(login=None, tls=False, keep_alive=0, prepare=None):
    """login: NAME:PASSWORD, which all requests need. keep_alive: requests of a connection (0: no limit). prepare: makes a session, too."""
    with tempfile.TemporaryDirectory(prefix="fathom-http-") as name:
        folder, port = pathlib.Path(name), free_port()
        (folder / "objects").mkdir()
        if login:
            user, _, password = login.partition(":")
            hashed = subprocess.run(["openssl", "passwd", "-apr1", password], check=True, capture_output=True, text=True).stdout.strip()
            (folder / "users").write_text(f"{user}:{hashed}\n")
        if tls:
            self_signed(folder)
        modules = MODULES + (("socache_shmcb", "ssl") if tls else ())
        user = "User www-data\nGroup www-data" if os.getuid() == 0 else ""
        (folder / "config").write_text(CONFIG.format(
            folder=folder, port=port, keep_alive=keep_alive, user=user, tls=TLS.format(folder=folder) if tls else "",
            modules="\n".join(f"LoadModule {module}_module /usr/lib/apache2/modules/mod_{module}.so" for module in modules),
            access=LOGIN.format(folder=folder) if login else "Require all granted"))
        if user:
            for path in (folder, folder / "objects"):
                shutil.chown(path, "www-data", "www-data")
        with (folder / "errors").open("w") as errors:
            process = subprocess.Popen([APACHE, "-f", folder / "config", "-DFOREGROUND"], stdin=subprocess.DEVNULL, stderr=errors, preexec_fn=prepare or os.setsid)
        server = Server(process, folder, port)
        try:
            wait_for(process, port, folder / "errors")
            yield server
        finally:
            if process.poll() is None:
                server.kill()


def wait_for(process, port, errors):
    """Until the server accepts connections."""
    end = time.monotonic() + 20
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            text = errors.read_text() if errors.exists() else ""
            assert process.poll() is None and time.monotonic() < end, f"the server did not start: {text}"
            time.sleep(0.01)

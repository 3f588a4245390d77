"""OpenStack Swift as the server of a test: proxy, account, container, object servers and memcached, in one directory. The proxy's access log is the server's own
count. With its s3api it is also a server of S3, which verifies signatures itself."""
import collections
import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request

from apache_server import Counted, free_port

PARTS = ("account", "container", "object")
PYTHON = "/usr/bin/python3"
SERVE = "import sys; from swift.common.wsgi import run_wsgi; sys.exit(run_wsgi(sys.argv[1], sys.argv[2]))"  # the package python3-swift alone starts no service
BUILD = "import sys; from swift.cli.ringbuilder import main; sys.argv[0] = 'swift-ring-builder'; main()"
USER, KEY, REGION = "test:tester", "testing/+=key", "eu-test-1"
COMMON = """[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
workers = 0
user = {user}
log_udp_host = 127.0.0.1
log_udp_port = {log}
log_level = ERROR
"""
PART = """fsync = false
[pipeline:main]
pipeline = {part}-server
[app:{part}-server]
use = egg:swift#{part}
"""
PROXY = """[pipeline:main]
pipeline = catch_errors proxy-logging cache s3api tempauth proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:proxy-logging]
use = egg:swift#proxy_logging
access_log_udp_host = 127.0.0.1
access_log_udp_port = {log}
access_log_level = INFO
log_msg_template = COUNTED {{method}} {{status_int}} {{bytes_recvd}} {{bytes_sent}} {{path}}
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:{memcached}
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = {key} .admin
[filter:s3api]
use = egg:swift#s3api
location = {region}
auth_pipeline_check = false
"""


def missing():
    """The Debian package that is not installed; None: all are."""
    if shutil.which("memcached") is None:
        return "memcached"
    found = subprocess.run([PYTHON, "-c", "import swift.cli.ringbuilder"], capture_output=True).returncode == 0
    return None if found else "python3-swift"


class Log:
    """Receives the proxy's access log, which can go to a UDP port only: its buffer holds all lines of a test."""
    def __init__(self):
        self.lines = []
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 23)
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.receive, daemon=True).start()

    def receive(self):
        while line := self.socket.recv(65536).decode(errors="replace"):
            self.lines.append(line)

    def close(self):
        self.socket.sendto(b"", self.socket.getsockname())


class Server:
    def __init__(self, folder, port, log):
        self.folder, self.host, self.log, self.begin = folder, f"127.0.0.1:{port}", log, 0

    def ask(self, method, path, **headers):
        request = urllib.request.Request(f"http://{self.host}{path}", method=method, headers={name.replace("_", "-"): value for name, value in headers.items()})
        return urllib.request.urlopen(request, timeout=20)

    def token(self):
        with self.ask("GET", "/auth/v1.0", X_Storage_User=USER, X_Storage_Pass=KEY) as answer:
            return answer.headers["X-Auth-Token"]

    def start_counting(self):
        self.begin = len(self.log.lines)

    def rows(self):
        """[method, status, bytes received, bytes sent, path] since start_counting(); without logins, whose line may arrive later."""
        return [line.split("COUNTED ", 1)[1].rstrip("\0").split() for line in self.log.lines[self.begin:] if "COUNTED " in line and "/auth/" not in line]

    def counted(self, expected):
        """{method: requests, bytes} of successful requests, when there are as many as expected."""
        end = time.monotonic() + 10
        while len(self.rows()) < expected and time.monotonic() < end:
            time.sleep(0.01)
        rows = [row for row in self.rows() if int(row[1]) < 300]
        number = collections.Counter(row[0] for row in rows)
        moved = {"PUT": 2, "GET": 3}
        return {method: Counted(count, sum(int(row[moved[method]].replace("-", "0")) for row in rows if row[0] == method) if method in moved else 0)
                for method, count in number.items()}


def write_rings(folder, ports):
    for part in PARTS:
        ring = [PYTHON, "-c", BUILD, str(folder / f"{part}.builder")]
        for words in (["create", "4", "1", "1"], ["add", f"r1z1-127.0.0.1:{ports[part]}/d1", "1"], ["rebalance"]):
            subprocess.run([*ring, *words], check=True, capture_output=True)


def write_configuration(folder, ports, user):
    (folder / "swift.conf").write_text("[swift-hash]\nswift_hash_path_suffix = a\nswift_hash_path_prefix = b\n[storage-policy:0]\nname = gold\ndefault = yes\n")
    for part in (*PARTS, "proxy"):
        own = PROXY.format(memcached=ports["memcached"], key=KEY, region=REGION, log=ports["log"]) if part == "proxy" else PART.format(part=part)
        (folder / f"{part}.conf").write_text(COMMON.format(port=ports[part], folder=folder, user=user, log=ports["log"]) + own)


@contextlib.contextmanager
def swift():
    """Its directory is on a file system with extended attributes of users."""
    user = "swift" if os.getuid() == 0 else str(os.getuid())
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fathom-swift-", dir="/var/tmp")))
        log = Log()
        stack.callback(log.close)
        ports = {"log": log.port, **{name: free_port() for name in (*PARTS, "proxy", "memcached")}}
        (folder / "devices" / "d1").mkdir(parents=True)
        write_rings(folder, ports)
        write_configuration(folder, ports, user)
        if os.getuid() == 0:
            for path in (folder, *folder.rglob("*")):
                shutil.chown(path, user, user)
        commands = {"memcached": ["memcached", "-l", "127.0.0.1", "-p", str(ports["memcached"]), "-u", "nobody", "-m", "16"]}
        commands |= {part: [PYTHON, "-c", SERVE, str(folder / f"{part}.conf"), f"{part}-server"] for part in (*PARTS, "proxy")}
        for name, command in commands.items():
            with (folder / f"{name}.errors").open("w") as errors:
                process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
            stack.callback(process.wait)
            stack.callback(process.kill)
        server = Server(folder, ports["proxy"], log)
        wait_until_ready(server)
        yield server


def wait_until_ready(server):
    end = time.monotonic() + 60
    while True:
        try:
            with server.ask("PUT", "/v1/AUTH_test/box", X_Auth_Token=server.token()):
                return
        except OSError:
            texts = "".join(path.read_text() for path in server.folder.glob("*.errors"))
            assert time.monotonic() < end, f"Swift did not start: {texts}{''.join(server.log.lines)}"
            time.sleep(0.1)

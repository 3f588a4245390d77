"""A server of S3 that keeps objects in memory and compares each request's signature with botocore's. What it refuses and why is its own record."""
import contextlib
import hashlib
import http.server
import threading
import urllib.parse

try:
    import botocore.auth
    import botocore.awsrequest
    import botocore.credentials
except ImportError:
    botocore = None

KEY_ID, KEY, REGION = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "eu-central-1"


def expected(method, path, headers, signed, key):
    """The signature that botocore computes for a request with these headers."""
    signer = botocore.auth.S3SigV4Auth(botocore.credentials.Credentials(KEY_ID, key), "s3", REGION)
    request = botocore.awsrequest.AWSRequest(method=method, url=f"http://{headers['host']}{path}", headers={name: headers[name] for name in signed})
    request.context["timestamp"] = headers["x-amz-date"]
    canonical = signer.canonical_request(request)
    return signer.signature(signer.string_to_sign(request, canonical), request)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def wrong(self, body):
        """Why the request is refused; None: it is right."""
        headers = {name.lower(): value for name, value in self.headers.items()}
        scheme, _, rest = headers.get("authorization", "").partition(" ")
        fields = dict(part.strip().split("=", 1) for part in rest.split(","))
        if scheme != "AWS4-HMAC-SHA256" or not fields["Credential"].startswith(f"{KEY_ID}/{headers['x-amz-date'][:8]}/{REGION}/s3/aws4_request"):
            return "InvalidAccessKeyId"
        if hashlib.sha256(body).hexdigest() != headers["x-amz-content-sha256"]:
            return "XAmzContentSHA256Mismatch"
        signed = fields["SignedHeaders"].split(";")
        if {name for name in headers if name.startswith("x-amz-")} - set(signed) or signed != sorted(signed):
            return "HeadersNotSigned"
        return None if fields["Signature"] == expected(self.command, self.path, headers, signed, KEY) else "SignatureDoesNotMatch"

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def serve(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        refused = self.wrong(body)
        name = urllib.parse.unquote(self.path)
        with self.server.lock:
            self.server.seen.append((self.command, name, len(body), refused, {key.lower(): value for key, value in self.headers.items()}))
        if refused:
            return self.answer(403, f"<?xml version='1.0'?><Error><Code>{refused}</Code></Error>".encode())
        if self.command == "PUT":
            self.server.objects[name] = body
            return self.answer(200)
        if self.command == "DELETE":
            self.server.objects.pop(name, None)
            return self.answer_no_content()
        found = self.server.objects.get(name)
        return self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>") if found is None else self.answer(200, found)

    def answer_no_content(self):
        self.send_response(204)
        self.end_headers()

    do_GET = do_PUT = do_DELETE = serve


class Server(http.server.ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock, self.seen, self.objects = threading.Lock(), [], {}
        self.host = f"127.0.0.1:{self.server_address[1]}"


@contextlib.contextmanager
def signed_server():
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()

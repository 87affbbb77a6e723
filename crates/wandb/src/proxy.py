# Forwards /graphql and /files to the W&B server and lets one page read the answers.
# Listens on this machine alone. Stop it with Ctrl+C.
import http.server, sys, urllib.error, urllib.request

SERVER, ORIGIN = __BASE_URL__, __ORIGIN__
PORT = int(sys.argv[1]) if len(sys.argv) > 1 else 8765

class Proxy(http.server.BaseHTTPRequestHandler):
    def answer(self, status, headers, body):
        self.send_response(status)
        for name in ("Content-Type", "Retry-After", "RateLimit-Reset"):
            if headers.get(name):
                self.send_header(name, headers[name])
        if self.headers.get("Origin") == ORIGIN:
            self.send_header("Access-Control-Allow-Origin", ORIGIN)
            self.send_header("Access-Control-Allow-Headers", "authorization, content-type, range")
            self.send_header("Access-Control-Expose-Headers", "Retry-After, RateLimit-Reset, Content-Length")
            self.send_header("Access-Control-Allow-Private-Network", "true")
        self.send_header("Vary", "Origin")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def forward(self):
        is_known = self.path == "/graphql" or self.path.startswith("/files/")
        if not is_known or self.headers.get("Origin", ORIGIN) != ORIGIN:
            return self.answer(403, {}, b"not forwarded")
        length = int(self.headers.get("Content-Length") or 0)
        request = urllib.request.Request(SERVER + self.path, self.rfile.read(length) or None, method=self.command)
        for name in ("Authorization", "Content-Type", "Range"):
            if self.headers.get(name):
                # Unredirected: files live in a bucket that must not see the key.
                request.add_unredirected_header(name, self.headers[name])
        try:
            with urllib.request.urlopen(request, timeout=120) as reply:
                self.answer(reply.status, reply.headers, reply.read())
        except urllib.error.HTTPError as error:
            self.answer(error.code, error.headers, error.read())
        except OSError as error:
            self.answer(502, {}, str(error).encode())

    def do_OPTIONS(self):
        self.answer(204, {}, b"")

    do_GET = do_HEAD = do_POST = forward

    def log_message(self, *_):
        pass

proxy = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Proxy)
print("base URL: http://localhost:%d" % PORT, flush=True)
proxy.serve_forever()

"""Answers at a socket in a file as docker does: `serve.py SOCKET`."""

import http.server
import socketserver
import sys


class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"OK")

    def address_string(self):
        return "a socket"


socketserver.UnixStreamServer(sys.argv[1], Answers).serve_forever()

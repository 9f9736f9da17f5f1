"""A client of the language server over its stdin and stdout, for tests and bench/lsp."""

import json
import subprocess


class Ended(Exception):
    """The server closed its output."""


class Client:
    def __init__(self, command=("nereid-lsp-server",), capabilities=None):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.count = 0
        self.received = []  # notifications and requests of the server
        self.initialize_result = self.request(
            "initialize", {"processId": None, "rootUri": None, "capabilities": capabilities or {}})["result"]
        self.notify("initialized", {})

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps(message).encode()
        self.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def receive(self):
        size = None
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise Ended()
            if line == b"\r\n":
                return json.loads(self.process.stdout.read(size))
            name, value = line.split(b":")
            if name.lower() == b"content-length":
                size = int(value)

    def notify(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method, params):
        """Sends a request and returns the answer; other messages up to it go to `received`."""
        self.count += 1
        self.send({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.count and "method" not in message:
                return message
            self.received.append(message)

    def open(self, uri, text, language="mlir"):
        document = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def wait_for_diagnostics(self, uri):
        """The next list of diagnostics of a document."""
        while True:
            for i, message in enumerate(self.received):
                if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
                    del self.received[i]
                    return message["params"]["diagnostics"]
            self.received.append(self.receive())

    def close(self):
        """Ends the session; returns the exit status."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait()


def position(text, offset):
    """The position of a character of `text`, in UTF-16 columns."""
    start = text.rfind("\n", 0, offset) + 1
    return {"line": text.count("\n", 0, offset), "character": len(text[start:offset].encode("utf-16-le")) // 2}

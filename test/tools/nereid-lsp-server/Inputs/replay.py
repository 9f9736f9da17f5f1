"""replay.py SESSION: sends the messages of a session, one per line, and prints what the server sends.

Empty lines and lines that begin with # or are for FileCheck are skipped. After a request its answer is awaited, as is, after
`wait diagnostics`, a list of diagnostics. Requests of the server are answered as an editor does.
"""

import json
import re
import subprocess
import sys


def main():
    server = subprocess.Popen(["nereid-lsp-server", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(text):
        body = text.encode()
        server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        server.stdin.flush()

    def receive():
        size = int(server.stdout.readline().split(b":")[1])
        server.stdout.readline()
        message = json.loads(server.stdout.read(size))
        print(json.dumps(message, ensure_ascii=False))
        if "id" in message and "method" in message:
            result = {"applied": True} if message["method"] == "workspace/applyEdit" else {"success": True}
            send(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}))
        return message

    for line in open(sys.argv[1], encoding="utf-8"):
        line = line.strip()
        if line == "wait diagnostics":
            while receive().get("method") != "textDocument/publishDiagnostics":
                pass
        elif line and not re.match("#|[A-Z-]+:", line):
            message = json.loads(line)
            send(line)
            while "id" in message and (answer := receive()) and (answer.get("id") != message["id"] or "method" in answer):
                pass
    server.stdin.close()
    print("exit status", server.wait())


main()

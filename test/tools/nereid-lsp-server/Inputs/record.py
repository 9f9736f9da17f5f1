"""record.py RECORDING COMMAND...: runs a language server in place of COMMAND for an editor, and writes all messages to RECORDING.

Each line is {"client": message} or {"server": message}, in the order of their arrival here; for replay_recording.py. Paths of
this machine are replaced: the working folder by /home/u/kernels, and the process number by 1. Of long lists, completions and code
actions, only the names are written.
"""

import json
import os
import subprocess
import sys
import threading

lock = threading.Lock()


def read_message(stream):
    """The bytes of the next message; None at the end."""
    size = None
    while line := stream.readline():
        if line == b"\r\n":
            return stream.read(size)
        name, value = line.split(b":")
        if name.lower() == b"content-length":
            size = int(value)
    return None


def shorten(message):
    result = message.get("result")
    if isinstance(result, dict) and "items" in result:
        result["items"] = [{"label": item["label"]} for item in result["items"]]
    if isinstance(result, list) and result and "command" in result[0]:
        message["result"] = [{"title": action["title"]} for action in result]
    return message


def forward(source, sink, name, recording):
    while (body := read_message(source)) is not None:
        text = json.dumps(json.loads(body), ensure_ascii=False)  # clients may escape the slashes of paths
        message = json.loads(text.replace(os.getcwd(), "/home/u/kernels"))
        if message.get("method") == "initialize":
            message["params"]["processId"] = 1
        with lock:
            recording.write(json.dumps({name: shorten(message)}, ensure_ascii=False) + "\n")
            recording.flush()
        sink.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        sink.flush()
    sink.close()


def main():
    server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with open(sys.argv[1], "w", encoding="utf-8") as recording:
        answers = threading.Thread(target=forward, args=(server.stdout, sys.stdout.buffer, "server", recording))
        answers.start()
        forward(sys.stdin.buffer, server.stdin, "client", recording)
        answers.join()
    return server.wait()


sys.exit(main())

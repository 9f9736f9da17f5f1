"""A Redis server of its own on a local socket, for kill.py and simulate.py."""
import os
import shutil
import signal
import socket
import subprocess
import time


def program():
    """The server's program; Debian's redis-tools has it as redis-check-rdb. None when there is none."""
    return shutil.which("redis-server") or shutil.which("redis-check-rdb")


class Server:
    def __init__(self, folder):
        self.path = os.path.join(folder, "redis.socket")
        self.url = "unix://" + self.path
        self.folder = folder
        self.process = None

    def start(self):
        words = ["redis-server", "--port", "0", "--unixsocket", self.path, "--save", "", "--appendonly", "no",
                 "--dir", self.folder, "--maxmemory-policy", "noeviction"]
        self.process = subprocess.Popen(words, executable=program(), stdout=subprocess.DEVNULL)
        for _ in range(500):
            try:
                return self.call("PING")
            except OSError:
                time.sleep(0.01)
        raise RuntimeError("redis-server did not start")

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.wait()
            self.process = None

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def call(self, *words):
        """Runs a command on a new connection; returns bytes, an integer, None or a list of these."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(30)
            client.connect(self.path)
            parts = [word if isinstance(word, bytes) else str(word).encode() for word in words]
            client.sendall(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts))
            with client.makefile("rb") as reply:
                return self.read(reply)

    def read(self, reply):
        line = reply.readline()
        if not line.endswith(b"\r\n"):
            raise OSError("the connection was closed")
        kind, text = line[:1], line[1:-2]
        if kind == b"-":
            raise OSError(text.decode())
        if kind == b"$":
            return None if int(text) < 0 else reply.read(int(text) + 2)[:-2]
        if kind == b"*":
            return [self.read(reply) for _ in range(int(text))]
        return int(text) if kind == b":" else text

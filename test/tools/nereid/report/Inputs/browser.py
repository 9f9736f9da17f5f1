"""A client of the remote-debugging protocol of Chromium: opens a page, sends events of mouse and keyboard, evaluates scripts."""
import base64
import json
import os
import shlex
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request


class Socket:
    """Text messages of a WebSocket of this machine."""

    def __init__(self, url):
        host, path = url.removeprefix("ws://").split("/", 1)
        name, port = host.split(":")
        self.file = socket.create_connection((name, int(port)), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.file.sendall(f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                          f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        while not self.read_line() == b"\r\n":
            pass

    def read_line(self):
        line = b""
        while not line.endswith(b"\r\n"):
            line += self.read(1)
        return line

    def read(self, size):
        data = b""
        while len(data) < size:
            part = self.file.recv(size - len(data))
            if not part:
                raise ConnectionError("the browser has closed the connection")
            data += part
        return data

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        length = bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size) if size < 65536 else b"\xff" + struct.pack(">Q", size)
        self.file.sendall(b"\x81" + length + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)))

    def receive(self):
        text = b""
        while True:
            first, size = self.read(2)
            size = struct.unpack(">H", self.read(2))[0] if size == 126 else struct.unpack(">Q", self.read(8))[0] if size == 127 else size
            part = self.read(size)
            if first & 15 in (0, 1):  # not a ping
                text += part
                if first & 0x80:
                    return text.decode()


class Browser:
    """One page. Errors of its scripts are in `errors`."""

    def __init__(self, command, width=1600, height=900):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        options = ["--remote-debugging-port=0", f"--user-data-dir={self.folder.name}", "--hide-scrollbars", "about:blank"]
        self.process = subprocess.Popen(shlex.split(command) + options, stderr=subprocess.DEVNULL)
        port_file = os.path.join(self.folder.name, "DevToolsActivePort")
        deadline = time.monotonic() + 60
        while not os.path.exists(port_file) or not open(port_file).read():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise ConnectionError("the browser does not start")
            time.sleep(0.05)
        port = open(port_file).read().split("\n")[0]
        pages = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=60))
        self.socket = Socket(next(page["webSocketDebuggerUrl"] for page in pages if page["type"] == "page"))
        self.count, self.errors, self.loaded = 0, [], False
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.resize(width, height)

    def note(self, message):
        method = message.get("method")
        self.loaded |= method == "Page.loadEventFired"
        if method == "Runtime.exceptionThrown":
            self.errors.append(message["params"]["exceptionDetails"].get("exception", {}).get("description", "exception"))
        if method == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
            self.errors.append(message["params"]["entry"]["text"])

    def call(self, method, **params):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.receive())
            self.note(message)
            if message.get("id") == self.count:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def navigate(self, url):
        self.loaded = False
        self.call("Page.navigate", url=url)
        while not self.loaded:
            self.note(json.loads(self.socket.receive()))

    def open(self, url):
        """Opens a page, also one that differs from the present one in its fragment only. Returns the milliseconds to its load event."""
        self.navigate("about:blank")
        self.navigate(url)
        return self.evaluate("performance.getEntriesByType('navigation')[0].loadEventStart")

    def evaluate(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"]["description"])
        return result["result"].get("value")

    def wait(self, script, wanted=True):
        """Evaluates until the value is the wanted one, because a page learns of events with its next frame; returns whether it is."""
        deadline = time.monotonic() + 20
        while (value := self.evaluate(script)) != wanted and time.monotonic() < deadline:
            time.sleep(0.02)
        return value == wanted

    def point(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key):
        code = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40}.get(key, 0)  # for what the browser does with them
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code)

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

"""The window's half of VS Code's extension host: starts the host of a VS Code server and exchanges its remote procedure calls.

The host is the process in which extensions run. It connects to a socket, on which messages have a header of 13 bytes: type,
number, acknowledged number, size. After the first two messages each message is a call or an answer: type, number of the call, and
for a call the object, the method and the arguments as JSON. Objects are numbered in the order of their declarations in the host.
"""
import json
import os
import re
import socket
import struct
import subprocess
import threading

REGULAR, ACKNOWLEDGE, KEEP_ALIVE = 1, 3, 9
CALL, CANCELLABLE_CALL, MIXED_CALL, CANCELLABLE_MIXED_CALL, SEEN, CANCEL = 1, 2, 3, 4, 5, 6
EMPTY, BYTES, JSON, JSON_WITH_BYTES, ERROR, EMPTY_ERROR = 7, 8, 9, 10, 11, 12
TERMINATE = b"\x03"


def uri(path):
    return {"$mid": 1, "scheme": "file", "path": path}


def description(folder, location):
    """An extension as the window describes it to the host."""
    with open(os.path.join(folder, "package.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    name = f"{manifest['publisher']}.{manifest['name']}"
    identifier = {"value": name, "_lower": name.lower()}
    return {**manifest, "id": name, "identifier": identifier, "extensionLocation": location, "isBuiltin": False,
            "isUserBuiltin": False, "isUnderDevelopment": False, "targetPlatform": "undefined"}


def environment(home):
    place = {key: uri(os.path.join(home, key)) for key in ("globalStorageHome", "workspaceStorageHome", "extensionTelemetryLogResource")}
    return {"isExtensionDevelopmentDebug": False, "appName": "Visual Studio Code", "appHost": "desktop", "appLanguage": "en",
            "isExtensionTelemetryLoggingOnly": True, "appUriScheme": "vscode", **place}


def start_data(version, extension, home, workspace):
    name = extension["identifier"]
    return {"version": version, "quality": "stable", "parentPid": 0, "environment": environment(home),
            "workspace": {"id": "1", "name": os.path.basename(workspace), "folders": []},
            "extensions": {"versionId": 1, "allExtensions": [extension], "myExtensions": [name],
                           "activationEvents": {name["value"]: extension["activationEvents"]}},
            "telemetryInfo": {key: "1" for key in ("sessionId", "machineId", "sqmId", "devDeviceId", "firstSessionDate")},
            "logLevel": 3, "loggers": [], "logsLocation": uri(os.path.join(home, "logs")), "autoStart": True,
            "remote": {"isRemote": False, "connectionData": None}, "consoleForward": {"includeStack": False, "logNative": False},
            "uiKind": 1}


class ExtensionHost:
    """`answer(object, method, arguments)` is called for each call of the host, and returns the value of the answer."""

    def __init__(self, server, home, answer):
        program = os.path.join(server, "out", "vs", "workbench", "api", "node", "extensionHostProcess.js")
        with open(program, encoding="utf-8") as file:
            names = re.findall(r'\b((?:MainThread|ExtHost)\w+):\w+\("(?:MainThread|ExtHost)\w+"\)', file.read())
        self.numbers = {name: number for number, name in enumerate(names, 1)}
        self.names = {number: name for name, number in self.numbers.items()}
        self.answer, self.calls, self.answers = answer, 0, {}
        self.sent = self.received = 0
        self.lock, self.changed = threading.RLock(), threading.Condition()
        hook = os.path.join(home, "host.sock")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(hook)
            listener.listen()
            messages = {"userLocale": "en", "osLocale": "en", "resolvedLanguage": "en", "availableLanguages": {},
                        "defaultMessagesFile": os.path.join(server, "out", "nls.messages.json")}
            variables = {**os.environ, "VSCODE_ESM_ENTRYPOINT": "vs/workbench/api/node/extensionHostProcess", "HOME": home,
                         "VSCODE_EXTHOST_IPC_HOOK": hook, "VSCODE_HANDLES_UNCAUGHT_ERRORS": "true",
                         "VSCODE_NLS_CONFIG": json.dumps(messages)}
            command = [os.path.join(server, "node"), os.path.join(server, "out", "bootstrap-fork.js"), "--type=extensionHost",
                       "--skipWorkspaceStorageLock"]
            self.process = subprocess.Popen(command, env=variables, stdin=subprocess.DEVNULL)
            self.stream = listener.accept()[0].makefile("rwb")

    def start(self, data):
        """The first messages: the host is ready, what it starts with, the host has started."""
        self.read_message()
        self.send_message(json.dumps(data).encode())
        self.read_message()
        threading.Thread(target=self.serve, daemon=True).start()

    def read_message(self):
        """The next message; None at the end. The first frames of the host have no content."""
        while len(header := self.stream.read(13)) == 13:
            kind, number, _, size = struct.unpack(">BIII", header)
            body = self.stream.read(size)
            if kind == REGULAR:
                self.received = number
                self.send_frame(ACKNOWLEDGE, 0, b"")
                return body
        return None

    def send_frame(self, kind, number, body):
        with self.lock:
            self.stream.write(struct.pack(">BIII", kind, number, self.received, len(body)) + body)
            self.stream.flush()

    def send_message(self, body):
        with self.lock:
            self.sent += 1
            self.send_frame(REGULAR, self.sent, body)

    def serve(self):
        while (body := self.read_message()) is not None:
            kind, number = struct.unpack(">BI", body[:5])
            if kind in (CALL, CANCELLABLE_CALL, MIXED_CALL, CANCELLABLE_MIXED_CALL):
                self.send_message(struct.pack(">BI", SEEN, number))
                threading.Thread(target=self.reply, args=(kind, number, body[5:]), daemon=True).start()
            elif kind >= EMPTY:
                with self.changed:
                    self.answers[number] = (kind, body[5:])
                    self.changed.notify_all()

    def reply(self, kind, number, body):
        name, rest = self.names[body[0]], body[2:]
        method, rest = rest[:body[1]].decode(), rest[body[1]:]
        value = self.answer(name, method, read_arguments(kind, rest))
        text = json.dumps(value).encode()
        self.send_message(struct.pack(">BI", EMPTY, number) if value is None else struct.pack(">BII", JSON, number, len(text)) + text)

    def call(self, name, method, *arguments, cancellable=False):
        """The value of the answer: JSON, or bytes."""
        with self.lock:
            self.calls += 1
            number, text = self.calls, json.dumps(arguments).encode()
            kind = CANCELLABLE_CALL if cancellable else CALL
            self.send_message(struct.pack(">BIBB", kind, number, self.numbers[name], len(method)) + method.encode() +
                              struct.pack(">I", len(text)) + text)
        with self.changed:
            if not self.changed.wait_for(lambda: number in self.answers, 60):
                raise TimeoutError(f"{name}.{method}: no answer")
            kind, body = self.answers.pop(number)
        if kind == EMPTY:
            return None
        if kind in (BYTES, JSON):
            content = body[4:]
            return content if kind == BYTES else json.loads(content)
        raise RuntimeError(f"{name}.{method}: {body[4:].decode(errors='replace')}")

    def stop(self):
        """Extensions are deactivated, and the process ends. Returns its exit status."""
        self.send_message(TERMINATE)
        return self.process.wait(20)


def read_arguments(kind, body):
    """Arguments of a call; of objects that are sent with bytes, the objects."""
    if kind in (CALL, CANCELLABLE_CALL):
        return json.loads(body[4:])
    arguments, at = [], 1
    for _ in range(body[0]):
        kind, at = body[at], at + 1
        if kind == 4:  # undefined
            arguments.append(None)
            continue
        if kind == 3:
            buffers, at = struct.unpack_from(">I", body, at)[0], at + 4
        size, at = struct.unpack_from(">I", body, at)[0], at + 4
        content, at = body[at:at + size], at + size
        arguments.append(content if kind == 2 else json.loads(content))
        for _ in range(buffers if kind == 3 else 0):
            at += 4 + struct.unpack_from(">I", body, at)[0]
    return arguments

"""replay_recording.py RECORDING: sends what an editor sent (record.py) and compares the answers of the server with the recorded ones.

Before a message is sent, the server must have sent what it had sent before this message in the recording: answers, requests
of its own, and the diagnostics of that version of the document. Answers that consist of places in the text must be equal. Others
grow with the compiler: hovers must begin with the same lines, and the recorded completions, code actions and capabilities must
be among those of the server. Not compared are answers to requests that the client cancels, and diagnostics of a version that the
client had replaced. Semantic tokens are compared after the differences were applied: the server may answer with all of them when it
has executed a request before it reads that the request is cancelled. Prints how many messages of each method were compared; ends with an error when one does not come in a minute.
"""

import collections
import json
import signal
import subprocess
import sys

from client import Client

SAME = {"textDocument/definition", "textDocument/references", "textDocument/documentHighlight", "textDocument/prepareRename",
        "textDocument/rename", "textDocument/documentSymbol", "textDocument/foldingRange", "textDocument/semanticTokens/full",
        "textDocument/semanticTokens/full/delta", "textDocument/semanticTokens/range", "shutdown"}


TOKENS = {"textDocument/semanticTokens/full", "textDocument/semanticTokens/full/delta"}


def key(message):
    """Identifies a message of the server in both sequences."""
    if message.get("method") == "textDocument/publishDiagnostics":
        return "diagnostics", message["params"]["uri"], message["params"].get("version")
    return ("request" if "method" in message else "answer"), message["id"]


def names(method, result):
    """The parts of an answer of which there may be more than in the recording."""
    if method == "textDocument/completion":
        return [item["label"] for item in result["items"]]
    if method == "textDocument/codeAction":
        return [action["title"] for action in result]
    return list(result["capabilities"] if method == "initialize" else result)


def is_same(method, expected, found):
    if "error" in expected or "error" in found:
        return expected.get("error", {}).get("code") == found.get("error", {}).get("code")
    expected, found = expected["result"], found["result"]
    if expected is None or found is None or method in SAME:
        return expected == found
    if method == "textDocument/hover":
        return expected["contents"]["value"].split("\n")[:2] == found["contents"]["value"].split("\n")[:2]
    return set(names(method, expected)) <= set(names(method, found))


class Tokens:
    """The semantic tokens of one sequence of answers, by their result identifiers."""

    def __init__(self):
        self.data = {}

    def all(self, result, previous):
        """The tokens after an answer, which has all of them or their differences from the previous result."""
        data = result.get("data")
        if data is None:
            data = list(self.data[previous])
            for edit in sorted(result["edits"], key=lambda edit: edit["start"], reverse=True):
                data[edit["start"]:edit["start"] + edit["deleteCount"]] = edit.get("data", [])
        self.data[result["resultId"]] = data
        return data


class Replay(Client):
    def __init__(self):  # the recording has the initialization
        self.process = subprocess.Popen(["nereid-lsp-server", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.seen = {}
        self.tokens = {"recorded": Tokens(), "found": Tokens()}

    def expand_tokens(self, message, sequence, previous):
        """The message with all tokens in place of their differences."""
        if message.get("result") is None or not {"data", "edits"} & message["result"].keys():
            return message
        data = self.tokens[sequence].all(message["result"], previous)
        return {**message, "result": {"resultId": message["result"]["resultId"], "data": data}}

    def wait_for(self, wanted):
        signal.alarm(60)
        while wanted not in self.seen:
            message = self.receive()
            self.seen[key(message)] = message
        signal.alarm(0)
        return self.seen[wanted]


def compare(replay, recorded, methods, previous, counts):
    """Waits for a message of the server and compares it with the recorded one."""
    kind, found = key(recorded)[0], replay.wait_for(key(recorded))
    method = methods.get(recorded["id"]) if kind == "answer" else recorded["method"]
    if method in TOKENS:
        recorded = replay.expand_tokens(recorded, "recorded", previous.get(recorded["id"]))
        found = replay.expand_tokens(found, "found", previous.get(found["id"]))
    if kind == "answer":
        same = method is None or is_same(method, recorded, found)
    elif kind == "diagnostics":
        same = recorded["params"]["diagnostics"] == found["params"]["diagnostics"]
    else:
        same = recorded["method"] == found["method"]
    if not same:
        sys.exit(f"{method}:\nexpected {json.dumps(recorded)}\nfound    {json.dumps(found)}")
    counts[method or "cancelled"] += 1


def main():
    methods, versions, previous, counts, replay = {}, {}, {}, collections.Counter(), Replay()
    for line in open(sys.argv[1], encoding="utf-8"):
        step = json.loads(line)
        if "server" in step:
            kind, uri, version = (*key(step["server"]), None)[:3]
            if kind != "diagnostics" or version == versions.get(uri):
                compare(replay, step["server"], methods, previous, counts)
            continue
        message = step["client"]
        if "id" in message and "method" in message:
            methods[message["id"]] = message["method"]
            previous[message["id"]] = (message.get("params") or {}).get("previousResultId")
        if message.get("method") == "$/cancelRequest":
            methods[message["params"]["id"]] = None
        document = (message.get("params") or {}).get("textDocument", {})
        if "version" in document:
            versions[document["uri"]] = document["version"]
        replay.send(message)
    replay.process.stdin.close()
    for method, count in sorted(counts.items()):
        print(f"{count} {method}")
    print("exit status", replay.process.wait())


main()

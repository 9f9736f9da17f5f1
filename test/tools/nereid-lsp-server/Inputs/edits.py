"""edits.py SEED EDITS FILE...: sends random edits and requests, and checks that the server survives.

Each edit deletes, duplicates or moves text of the documents, exchanges words or numbers, or inserts characters that are hard
on parsers; most are undone by the next one, so that many texts parse. After each, one random request is answered
within LIMIT seconds. The text of the server is compared with ours by the diagnostics of a fresh document at the end. Prints the number of restarts (protocol/recovery.h): each is a crash or hang of an analysis that
the server survived, and has the text in the file that --keep names.
"""

import argparse
import random
import re
import time

from client import Client, position

LIMIT = 60

FRAGMENTS = ["{", "}", "(", ")", "<", ">", "[", "]", "\"", "%", "#", "!", "@", "^", "=", "->", ":", ",", "\n", "// -----\n",
             "\u00e9", "\u6f22", "\U0001d4b3", "\r", "\t", "0x", "-1", "99999999999999999999", "dense<", "loc(", "tensor<",
             "tt.func @f() {\n", "tt.return\n", "%0 = ", "#blocked", "!tt.ptr<", "affine_map<", "arith.constant", "module {",
             "scf.for", "tt.reduce", "ttg.warp_specialize", "ttg.local_alloc", "tt.call @f()"]

METHODS = ["hover", "hover", "codeAction", "definition", "references", "documentHighlight", "prepareRename", "rename", "documentSymbol",
           "foldingRange", "completion", "semanticTokens/full", "semanticTokens/full/delta", "semanticTokens/range", "codeAction"]


def choose_edit(rng, text):
    """A range of the text and its replacement."""
    start = rng.randrange(len(text) + 1)
    end = min(len(text), start + int(rng.expovariate(1 / 12)))
    kind = rng.randrange(12)
    if kind >= 6:  # another word or number
        words = list(re.finditer(r"[%@#!]?[A-Za-z_][\w.]*" if kind >= 9 else r"\b\d+\b", text[start:start + 2000]))
        if not words:
            return start, end, ""
        word = rng.choice(words)
        other = rng.choice(words).group() if kind % 3 else rng.choice(["0", "1", "-1", "3", "4294967296", "true"])
        return start + word.start(), start + word.end(), other
    if kind == 0:
        return start, end, ""
    if kind == 1:
        return start, start, rng.choice(FRAGMENTS)
    if kind == 2:
        other = rng.randrange(len(text) + 1)
        return start, start, text[other:other + int(rng.expovariate(1 / 30))]
    if kind == 3:
        return start, end, rng.choice(FRAGMENTS)
    lines = text.split("\n")
    line = rng.randrange(len(lines))
    at = sum(len(each) + 1 for each in lines[:line])
    if kind == 4:
        return at, min(len(text), at + len(lines[line]) + 1), ""
    return at, at, rng.choice(lines) + "\n"


def parameters(rng, method, uri, text):
    here = position(text, rng.randrange(len(text) + 1))
    there = position(text, rng.randrange(len(text) + 1))
    params = {"textDocument": {"uri": uri}, "position": here, "range": {"start": here, "end": there}, "newName": "renamed"}
    params["context"] = {"includeDeclaration": True, "diagnostics": []}
    return params


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("seed", type=int)
    arguments.add_argument("edits", type=int)
    arguments.add_argument("files", nargs="+")
    arguments.add_argument("--server", default="nereid-lsp-server")
    arguments.add_argument("--keep", default=None)
    options = arguments.parse_args()
    rng = random.Random(options.seed)
    originals = [open(name, encoding="utf-8").read() for name in options.files]
    client = Client([options.server], {"window": {"showDocument": {"support": True}}})
    slowest = restarts = actions = 0
    text, uri, version, number, undo = "", "", 0, 0, None
    for count in range(options.edits):
        if count % 20 == 0:  # damage adds up: begin again
            if uri:
                client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            number += 1
            uri, text, version, undo = f"file:///{number}.ttgir", rng.choice(originals), 1, None
            client.open(uri, text)
        undone = undo if undo and rng.random() < 0.9 else None
        start, end, new = undone or choose_edit(rng, text)
        undo = None if undone else (start, start + len(new), text[start:end])
        edit = {"range": {"start": position(text, start), "end": position(text, end)}, "text": new}
        text, version = text[:start] + new + text[end:], version + 1
        client.notify("textDocument/didChange",
                      {"textDocument": {"uri": uri, "version": version}, "contentChanges": [edit]})
        method = rng.choice(METHODS)
        begin = time.monotonic()
        answer = client.request("textDocument/" + method, parameters(rng, method, uri, text))
        offered = answer.get("result") if method == "codeAction" else None
        if offered and rng.random() < 0.5:
            actions += 1
            method = "executeCommand"
            answer = client.request("workspace/executeCommand", rng.choice(offered)["command"])
        slowest = max(slowest, time.monotonic() - begin)
        assert slowest < LIMIT, f"{method} took {slowest:.1f} s"
        if answer.get("error", {}).get("code") == -32603:
            restarts += 1
            print(f"edit {count}: {method}: {answer['error']['message']}")
            if options.keep:
                open(f"{options.keep}.{restarts}", "w", encoding="utf-8").write(text)
        for each in client.received:
            if "it is not parsed until it changes" in str(each):
                print(f"edit {count}: diagnostics")
                restarts += 1
        client.received = []
    # The server has the same text as we: a second document with ours has the same diagnostics.
    client.notify("textDocument/didChange",
                  {"textDocument": {"uri": uri, "version": version + 1},
                   "contentChanges": [{"range": {"start": position(text, len(text)), "end": position(text, len(text))},
                                       "text": "\n"}]})
    client.open("file:///same.ttgir", text + "\n")
    assert client.wait_for_diagnostics(uri) == client.wait_for_diagnostics("file:///same.ttgir")
    status = client.close()
    print(f"{options.edits} edits, {actions} passes, {restarts} restarts, exit status {status}")
    assert status == 0


main()

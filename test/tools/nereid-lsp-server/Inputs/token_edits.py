"""token_edits.py FILE: changes FILE at random in the language server, and compares differences of semantic tokens with whole answers."""

import random
import sys

from client import Client, position

DOCUMENT = {"uri": "file:///k.ttgir"}


def ask(client, method, **more):
    return client.request("textDocument/semanticTokens/" + method, {"textDocument": DOCUMENT, **more})["result"]


def applied(data, edits):
    for edit in edits:
        data[edit["start"]:edit["start"] + edit["deleteCount"]] = edit.get("data", [])
    return data


def absolute(data):
    """Tokens as (line, column, length, type, modifiers)."""
    tokens, line, column = [], 0, 0
    for i in range(0, len(data), 5):
        line, column = line + data[i], data[i + 1] + (0 if data[i] else column)
        tokens.append((line, column, *data[i + 2:i + 5]))
    return tokens


def main():
    text, rng, client = open(sys.argv[1], encoding="utf-8").read(), random.Random(1), Client()
    client.open(DOCUMENT["uri"], text)
    known, empty, short = ask(client, "full"), 0, 0
    for version in range(200):
        start = rng.randrange(len(text))
        end = min(len(text), start + rng.choice([0, 0, 3, 40]))
        new = rng.choice(["", " ", "x", "\n", "// \U0001d4b3 ", "%value = tt.load ", text[start:end], text[end:end + 200]])
        edit = {"range": {"start": position(text, start), "end": position(text, end)}, "text": new}
        client.notify("textDocument/didChange", {"textDocument": {**DOCUMENT, "version": version}, "contentChanges": [edit]})
        text = text[:start] + new + text[end:]
        answer = ask(client, "full/delta", previousResultId=known["resultId"])
        data, whole = applied(known["data"], answer["edits"]), ask(client, "full")
        assert data == whole["data"] and answer["resultId"] == whole["resultId"], version
        empty += not answer["edits"]
        short += sum(len(each.get("data", [])) for each in answer["edits"]) < len(data)
        known = whole
    print(f"200 differences, {empty} empty, {short} shorter than the whole")
    print("unknown answer:", "whole" if ask(client, "full/delta", previousResultId="0")["data"] == known["data"] else "other")
    first, last, tokens = 7, 31, absolute(known["data"])
    limits = {"start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}}
    some = absolute(ask(client, "range", range=limits)["data"])
    print("ranges", "agree" if some and some == [token for token in tokens if first <= token[0] < last] else "differ")
    print("exit status", client.close())


main()

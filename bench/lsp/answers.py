"""Measures how fast the language server answers on a large file.

    python3 bench/lsp/answers.py [--server COMMAND] [--lines 5000] [--edits 20] FILE

FILE is a .ttir or .ttgir file; its functions are repeated under other names until the text has that many lines. Prints the time from
opening to the diagnostics; for each request the time of the first answer, and the median and the maximum of answers right after an
edit of the first function; and the processor time of the server per edit. Requests are about a value in the middle of the text,
"changed" ones about a value of the first function.
"""

import argparse
import os
import re
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../test/tools/nereid-lsp-server/Inputs"))
from client import Client, position

METHODS = ["hover", "definition", "references", "documentHighlight", "prepareRename", "rename", "documentSymbol", "foldingRange",
           "completion", "semanticTokens/full", "semanticTokens/full/delta", "semanticTokens/range", "codeAction", "changed hover",
           "changed rename"]
URI = "file:///large.ttgir"


def enlarge(text, lines):
    """Repeats the functions of a module."""
    start = text.index("tt.func ")
    start = text.rindex("\n", 0, start) + 1
    end = max(text.rindex("\n}"), start) + 1
    functions, n = text[start:end], 0
    result = [text[:start]]
    while sum(each.count("\n") for each in result) < lines:
        result.append(re.sub(r"@(\w+)", lambda name: f"@{name.group(1)}_{n}", functions))
        n += 1
    return "".join(result) + text[end:]


def processor_time(client):
    fields = open(f"/proc/{client.process.pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("file")
    arguments.add_argument("--server", default="nereid-lsp-server")
    arguments.add_argument("--lines", type=int, default=5000)
    arguments.add_argument("--edits", type=int, default=20)
    options = arguments.parse_args()
    text = enlarge(open(options.file, encoding="utf-8").read(), options.lines)
    client = Client([options.server])

    def timed(function, *values):
        begin = time.perf_counter()
        result = function(*values)
        return (time.perf_counter() - begin) * 1e3, result

    result_id = ""

    def ask(method):
        nonlocal result_id
        place = places[method.startswith("changed ")]
        last = place if method == "codeAction" else {"line": place["line"] + 60, "character": 0}
        params = {"textDocument": {"uri": URI}, "position": place, "newName": "renamed", "previousResultId": result_id,
                  "context": {"includeDeclaration": True, "diagnostics": []}, "range": {"start": place, "end": last}}
        answer = client.request("textDocument/" + method.removeprefix("changed "), params)
        assert "error" not in answer, answer
        if method.startswith("semanticTokens/full"):
            result_id = answer["result"]["resultId"]
        return answer["result"]

    def open_document():
        client.open(URI, text)
        return client.wait_for_diagnostics(URI)

    opened, diagnostics = timed(open_document)
    assert not diagnostics, diagnostics[0]
    print(f"{text.count(chr(10))} lines, {len(text)} bytes: diagnostics after {opened:.0f} ms")
    values = list(re.finditer(r"^ +(%\w+) = ", text, re.MULTILINE))
    places = [position(text, values[i].start(1) + 1) for i in (len(values) // 2, 0)]
    space = position(text, text.index("\n", text.index("tt.func ")))
    print(f"{'request':25}{'first':>9}{'after edits: median':>21}{'maximum':>9}  ms")
    for method in METHODS:
        first, result = timed(ask, method)
        assert result, method
        times = []
        before = processor_time(client)
        for version in range(options.edits):
            edit = {"range": {"start": space, "end": space}, "text": " "}
            client.notify("textDocument/didChange", {"textDocument": {"uri": URI, "version": version}, "contentChanges": [edit]})
            times.append(timed(ask, method)[0])
        used = (processor_time(client) - before) / options.edits * 1e3
        print(f"{method:25}{first:9.1f}{statistics.median(times):21.1f}{max(times):9.1f}  ({used:.0f} ms of processor time)")
    return client.close()


sys.exit(main())

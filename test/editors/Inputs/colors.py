"""colors.py GRAMMAR FILE...: compares a grammar with the language server's tokens.

GRAMMAR is a TextMate grammar (.json), of which this script runs the `match` rules, or a syntax file of Vim (.vim). Every token to
which the server gives a color must have a scope, or a syntax group, of that color. Prints the number of tokens per color.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../tools/nereid-lsp-server/Inputs"))
from client import Client

SCOPES = {
    "comment": ["comment", "nereidComment"],
    "string": ["string", "nereidString"],
    "number": ["constant.numeric", "nereidNumber", "nereidResult"],
    "variable": ["variable", "nereidValue"],
    "function": ["entity.name.function", "nereidSymbol"],
    "label": ["entity.name.label", "nereidLabel"],
    "decorator": ["support.constant.attribute", "entity.name.alias", "nereidAttribute"],
    "type": ["storage.type", "entity.name.type", "nereidType", "nereidBuiltinType"],
    "keyword": ["keyword.other.operation", "nereidOperation"],
    "property": ["entity.other.attribute-name", "nereidAttributeName"],
}


def server_tokens(text):
    """(line, column, length, color) of each token."""
    client = Client()
    client.open("file:///k.ttgir", text)
    colors = client.initialize_result["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"]
    data = client.request("textDocument/semanticTokens/full", {"textDocument": {"uri": "file:///k.ttgir"}})["result"]["data"]
    client.close()
    line = column = 0
    for i in range(0, len(data), 5):
        line, column = line + data[i], data[i + 1] + (0 if data[i] else column)
        yield line, column, data[i + 2], colors[data[i + 3]]


def textmate_line(rules, line):
    """The scope of each character of a line: at each place the first rule that matches."""
    scopes, at = [""] * len(line), 0
    while at < len(line):
        best = min(((rule, match) for rule, regex in rules if (match := regex.search(line, at))),
                   key=lambda each: each[1].start(), default=None)
        if not best:
            break
        rule, match = best
        parts = {0: rule.get("name", "")}
        parts.update({int(number): part["name"] for number, part in rule.get("captures", {}).items()})
        for number, scope in parts.items():
            for i in range(*match.span(number)):
                scopes[i] = scope
        at = match.end() if match.end() > match.start() else match.end() + 1
    return scopes


def textmate(grammar, text):
    rules = [(rule, re.compile(rule["match"])) for rule in json.load(open(grammar, encoding="utf-8"))["patterns"]]
    return [textmate_line(rules, line) for line in text.split("\n")]


def vim(syntax, name):
    with tempfile.TemporaryDirectory() as folder:
        script, out = os.path.join(folder, "s.vim"), os.path.join(folder, "out")
        open(script, "w").write(f"""
set nocompatible encoding=utf-8 synmaxcol=0 redrawtime=60000
syntax on
syntax clear
unlet! b:current_syntax
source {syntax}
let lines = []
for g:n in range(1, line('$'))
  call add(lines, join(map(range(1, max([1, col([g:n, '$']) - 1])), {{_, c -> synIDattr(synID(g:n, c, 1), 'name')}}), ','))
endfor
call writefile(lines, '{out}')
qall!
""")
        subprocess.run(["vim", "-N", "-u", "NONE", "-i", "NONE", "-n", "-es", "-S", script, name], check=False,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        return [line.split(",") for line in open(out, encoding="utf-8").read().split("\n")]


def main():
    grammar, bad, counts = sys.argv[1], 0, dict.fromkeys(SCOPES, 0)
    for name in sys.argv[2:]:
        text = open(name, encoding="utf-8").read()
        scopes = vim(grammar, name) if grammar.endswith(".vim") else textmate(grammar, text)
        lines = text.split("\n")
        for line, column, length, color in server_tokens(text):
            counts[color] += 1
            found = set(scopes[line][column:column + length])
            if not all(any(scope.startswith(prefix) for prefix in SCOPES[color]) for scope in found):
                bad += 1
                print(f"{name}:{line + 1}:{column + 1}: {color} '{lines[line][column:column + length]}' is {found}")
    print(" ".join(f"{color} {count}" for color, count in counts.items()))
    print(f"{bad} differences")


main()

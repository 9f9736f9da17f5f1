"""ask.py FILE QUESTIONS: opens FILE in the language server and prints answers.

A question is a line `method text with a | at the place [=> argument]`; the place is where FILE contains the text. An edit is
`edit text => replacement`: the first occurrence of the text is replaced. Ranges are printed as line:column-line:column, counted
from 1; UTF-16 columns. Lines for FileCheck are skipped.
"""

import json
import re
import sys

from client import Client, position


def show_range(each):
    start, end = each["start"], each["end"]
    return f"{start['line'] + 1}:{start['character'] + 1}-{end['line'] + 1}:{end['character'] + 1}"


def show_symbols(symbols, indent=""):
    for each in symbols:
        print(f"{indent}{each['name']} {show_range(each.get('range') or each['location']['range'])}")
        show_symbols(each.get("children", []), indent + "  ")


def show_diagnostics(diagnostics):
    for each in diagnostics:
        print(f"{show_range(each['range'])} severity {each['severity']}: {each['message']}")
        for note in each.get("relatedInformation", []):
            print(f"  note {show_range(note['location']['range'])}: {note['message']}")
    if not diagnostics:
        print("no diagnostics")


def show(method, result):
    if result is None:
        print("null")
    elif method == "hover":
        print(result["contents"]["value"])
    elif method == "definition":
        print(show_range(result["range"]))
    elif method == "references":
        print(" ".join(show_range(each["range"]) for each in result))
    elif method == "documentHighlight":
        print(" ".join(f"{show_range(each['range'])}:{each['kind']}" for each in result))
    elif method == "prepareRename":
        print(show_range(result["range"]), result["placeholder"])
    elif method == "rename":
        for edits in result["changes"].values():
            print(" ".join(f"{show_range(each['range'])}={each['newText']}" for each in edits))
    elif method == "documentSymbol":
        show_symbols(result)
    elif method == "foldingRange":
        print(" ".join(f"{each['startLine'] + 1}-{each['endLine'] + 1}" for each in result))
    elif method == "completion":
        for each in result["items"]:
            edit = each["textEdit"]
            print(f"{each['label']} {show_range(edit['range'])} {each.get('detail', '')}")
    elif method == "codeAction":
        for each in result:
            print(each["title"])
    else:
        print(json.dumps(result))


def place(text, pattern):
    before, _, after = pattern.partition("|")
    found = text.find(before + after)
    assert found >= 0, f"no '{before + after}' in the file"
    return found + len(before)


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    capabilities = {"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}},
                    "window": {"showDocument": {"support": True}}}
    client = Client(capabilities=capabilities)
    uri = "file:///" + sys.argv[1].rsplit("/", 1)[-1]
    client.open(uri, text)
    for line in open(sys.argv[2], encoding="utf-8"):
        question, _, argument = line.rstrip("\n").partition(" => ")
        if not question or re.match("#|[A-Z-]+:", question):
            continue
        print(f"> {line.rstrip()}")
        method, _, pattern = question.partition(" ")
        if method == "diagnostics":
            show_diagnostics(client.wait_for_diagnostics(uri))
            continue
        if method == "edit":
            start = text.index(pattern)
            argument = argument.replace("\\n", "\n")
            edit = {"range": {"start": position(text, start), "end": position(text, start + len(pattern))}, "text": argument}
            text = text[:start] + argument + text[start + len(pattern):]
            client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [edit]})
            continue
        here = position(text, place(text, pattern))
        params = {"textDocument": {"uri": uri}, "position": here, "newName": argument,
                  "range": {"start": here, "end": here}, "context": {"includeDeclaration": True, "diagnostics": []}}
        if method in ("runPass", "showPass"):
            name, function = argument.split(" on ")
            params = {"command": "nereid." + method, "arguments": [{"uri": uri, "pass": name, "function": function}]}
            answer = client.request("workspace/executeCommand", params)
            for each in client.received:
                if each["method"] == "workspace/applyEdit":
                    edit = each["params"]["edit"]["changes"][uri][0]
                    print(f"applyEdit {show_range(edit['range'])}\n{edit['newText']}")
                elif each["method"] == "window/showDocument":
                    print("showDocument:\n" + open(each["params"]["uri"][len("file://"):], encoding="utf-8").read())
            client.received = [each for each in client.received if "id" not in each]
        else:
            answer = client.request("textDocument/" + method, params)
        if "error" in answer:
            print(f"error {answer['error']['code']}: {answer['error']['message']}")
        elif method in ("runPass", "showPass"):
            print(answer["result"]["diff"])
        else:
            show(method, answer["result"])
    sys.exit(client.close())


main()

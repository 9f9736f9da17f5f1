"""Drives the language server from the extension host of VS Code, and prints what the user sees.

    drive_vscode.py SERVER EXTENSION FILE

SERVER is the folder of a VS Code server, EXTENSION that of editors/vscode with the packages that `npm install` adds, FILE a file in
the current folder with a tt.load and a function. The extension, its client of the language server, and the interface that
extensions use are VS Code's; this script does what the window does: it holds the text, asks for colors, outline and actions after
changes, and for what a user wants. NEREID_SERVER is the program of the language server.
"""
import os
import re
import sys
import tempfile
import threading

from extension_host import ExtensionHost, description, start_data, uri


def position(line, column):
    return {"lineNumber": line + 1, "column": column + 1}


def cursor(line, column):
    return {"selectionStartLineNumber": line + 1, "selectionStartColumn": column + 1, "positionLineNumber": line + 1,
            "positionColumn": column + 1}


def span(start, end):
    return {"startLineNumber": start[0] + 1, "startColumn": start[1] + 1, "endLineNumber": end[0] + 1, "endColumn": end[1] + 1}


class Window:
    def __init__(self, server, extension, path):
        self.home = tempfile.mkdtemp()
        self.providers, self.markers, self.shown, self.errors = {}, {}, [], []
        self.changed = threading.Condition()
        with open(path, encoding="utf-8") as file:
            self.lines = file.read().split("\n")
        self.uri, self.version, self.tokens, self.outline = uri(path), 1, 0, []
        self.host = ExtensionHost(server, self.home, self.answer)
        self.extension = description(extension, uri(extension))
        with open(os.path.join(server, "package.json"), encoding="utf-8") as file:
            release = re.search(r'"version": "([^"]+)"', file.read()).group(1)
        self.host.start(start_data(release, self.extension, self.home, os.getcwd()))

    def answer(self, name, method, arguments):
        """Answers a call of the host."""
        if method.startswith("$register") and name == "MainThreadLanguageFeatures":
            with self.changed:
                self.providers[method] = arguments[0]
                self.changed.notify_all()
        elif method == "$changeMany":
            with self.changed:
                self.markers.update((entry[0]["path"], entry[1] or []) for entry in arguments[1])
                self.changed.notify_all()
        elif method == "$tryApplyWorkspaceEdit":
            self.apply(arguments[0])
            return True
        elif method == "$register" and name == "MainThreadOutputService":
            return "output"
        elif method in ("$onUnexpectedError", "$onExtensionActivationError", "$showMessage"):
            with self.changed:
                self.errors.append((method, arguments))
                self.changed.notify_all()
        elif method == "$tryOpenDocument":
            self.open(arguments[0]["path"])
            return arguments[0]
        elif method == "$tryShowTextDocument":
            with self.changed:
                self.shown.append(arguments[0]["path"])
                self.changed.notify_all()
        return None

    def wait(self, what, ready):
        with self.changed:
            if not self.changed.wait_for(lambda: ready() or self.errors, 30) or self.errors:
                raise TimeoutError(f"no {what}; errors: {self.errors}")

    def open(self, path, language="plaintext"):
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        self.host.call("ExtHostDocumentsAndEditors", "$acceptDocumentsAndEditorsDelta", {"addedDocuments": [
            {"uri": uri(path), "versionId": 1, "lines": lines, "EOL": "\n", "languageId": language, "isDirty": False}]})

    def settle(self):
        """What each window asks the host at the start."""
        folder = {"uri": uri(os.getcwd()), "name": os.path.basename(os.getcwd()), "index": 0}
        settings = {"nereid": {"server": os.environ.get("NEREID_SERVER", "nereid-lsp-server")}}
        model, empty = {"contents": settings, "keys": ["nereid.server"], "overrides": []}, {"contents": {}, "keys": [], "overrides": []}
        self.host.call("ExtHostConfiguration", "$initializeConfiguration", {
            "defaults": model, "policy": empty, "application": empty, "user": empty, "workspace": empty, "folders": [],
            "configurationScopes": []})
        self.host.call("ExtHostWorkspace", "$initializeWorkspace", {"id": "1", "name": folder["name"], "folders": [folder]}, True)
        self.host.call("ExtHostEditorTabs", "$acceptEditorTabModel", [{"isActive": True, "groupId": 0, "viewColumn": 0, "tabs": []}])
        self.open(self.uri["path"], "nereid")
        self.host.call("ExtHostExtensionService", "$activateByEvent", "onLanguage:nereid", 0)

    def ask(self, provider, method, *arguments, place=True):
        """The answer of the provider whose registration has this name."""
        self.wait(provider, lambda: any(provider in name for name in self.providers))
        handle = next(self.providers[name] for name in sorted(self.providers) if provider in name)
        before = [self.uri] if place else []
        return self.host.call("ExtHostLanguageFeatures", method, handle, *before, *arguments, cancellable=True)

    def edit(self, start, end, text):
        """One change by the user, and what the window asks after it."""
        before = self.lines[start[0]][:start[1]]
        after = self.lines[end[0]][end[1]:]
        offset = sum(len(line) + 1 for line in self.lines[:start[0]]) + start[1]
        size = sum(len(line) + 1 for line in self.lines[:end[0]]) + end[1] - offset
        self.lines[start[0]:end[0] + 1] = (before + text + after).split("\n")
        self.version += 1
        self.host.call("ExtHostDocuments", "$acceptModelChanged", self.uri, {
            "changes": [{"range": span(start, end), "rangeOffset": offset, "rangeLength": size, "text": text}], "eol": "\n",
            "versionId": self.version, "isUndoing": False, "isRedoing": False}, True)

    def apply(self, edit):
        """Changes of the server, from the end to the start."""
        changes = [(change["textEdit"]["range"], change["textEdit"]["text"]) for change in edit["edits"]]
        for where, text in sorted(changes, key=lambda change: (change[0]["startLineNumber"], change[0]["startColumn"]), reverse=True):
            self.edit((where["startLineNumber"] - 1, where["startColumn"] - 1), (where["endLineNumber"] - 1, where["endColumn"] - 1), text)

    def refresh(self):
        """Colors, outline, folding: what the window asks some time after a change. Returns the bytes of the colors."""
        self.outline = self.ask("DocumentSymbol", "$provideDocumentSymbols") or []
        self.ask("FoldingRange", "$provideFoldingRanges", {})
        colors = self.ask("DocumentSemanticTokens", "$provideDocumentSemanticTokens", self.tokens)
        self.tokens = int.from_bytes(colors[:4], "little")
        return len(colors)

    def find(self, text, columns=0):
        """Line and column of the first occurrence of a text."""
        line = next(number for number, line in enumerate(self.lines) if text in line)
        return line, self.lines[line].index(text) + columns

    def count(self, name):
        return sum(len(re.findall(re.escape(name) + r"\b", line)) for line in self.lines)

    def actions(self, line, column):
        found = self.ask("CodeAction", "$provideCodeActions", cursor(line, column), {"trigger": 1})
        return {action["title"]: action for action in found["actions"]}


def look(window):
    """Hover, references, definition, highlights."""
    line, column = window.find(" = tt.load", -1)
    name = re.search(r"%\w+", window.lines[line]).group()
    hover = window.ask("Hover", "$provideHover", position(line, column), None)
    print("hover", name, re.search(r"%[^\n]*", hover["contents"][0]["value"]).group())
    documentation = window.ask("Hover", "$provideHover", position(*window.find("tt.load", 4)), None)
    print("documentation", re.sub(r"[*`]", "", documentation["contents"][0]["value"]).strip().split("\n")[0])
    references = window.ask("Reference", "$provideReferences", position(line, column), {"includeDeclaration": True})
    print("references", len(references) == window.count(name))
    window.ask("DocumentHighlight", "$provideDocumentHighlights", position(line, column))
    last = max(number for number, text in enumerate(window.lines) if re.search(re.escape(name) + r"\b", text))
    found = window.ask("Definition", "$provideDefinition", position(last, window.lines[last].index(name)))
    print("definition", found[0]["range"]["startLineNumber"] == line + 1)
    return name


def change(window, name):
    """Renaming, an error and its removal, completion."""
    line, column = window.find(" = tt.load", -1)
    uses = window.count(name)
    window.ask("Rename", "$resolveRenameLocation", position(line, column))
    window.apply(window.ask("Rename", "$provideRenameEdits", position(line, column), "loaded"))
    print("renamed", window.count("%loaded") == uses)
    print("colors", window.refresh() > 100)

    for number, letter in enumerate("    tt."):
        window.edit((line, number), (line, number), letter + "\n" if number == 0 else letter)
    items = window.ask("Completion", "$provideCompletionItems", position(line, 7), {"triggerKind": 1, "triggerCharacter": "."})
    labels = {item["a"] if isinstance(item["a"], str) else item["a"]["label"]: item for item in items["b"]}
    print("completion", len(labels) > 20, "tt.load" in labels)
    window.ask("Completion", "$resolveCompletionItem", labels["tt.load"]["x"], place=False)
    window.edit((line, 7), (line, 7), "oops")
    window.wait("diagnostic", lambda: len(window.markers.get(window.uri["path"], [])) == 1)
    marker = window.markers[window.uri["path"]][0]
    print("error at the line", marker["startLineNumber"] == line + 1, marker["message"])
    window.refresh()
    print("outline", len(window.outline) == 1)
    window.edit((line, 0), (line + 1, 0), "")
    window.wait("text without errors", lambda: not window.markers[window.uri["path"]])
    print("no error after undo")


def transform(window):
    """A pass on the function: what it would change, and then the change."""
    line, column = window.find("tt.func", 4)
    function = re.search(r"@\w+", window.lines[line]).group()
    window.edit((line, len(window.lines[line])), (line, len(window.lines[line])), "\n    %unused = arith.constant 7 : i32")
    actions = window.actions(line, column)
    for title in (f"Show what canonicalize changes in {function}", f"Run canonicalize on {function}"):
        command = actions[title]["command"]
        window.host.call("ExtHostCommands", "$executeContributedCommand", command["id"], *command["arguments"])
    window.wait("shown changes", lambda: window.shown)
    with open(window.shown[0], encoding="utf-8") as file:
        print("shown", file.readline().strip().replace(function, "@k"))
    window.wait("pass", lambda: window.count("%unused") == 0)
    window.refresh()
    print("pass ran")


def main():
    window = Window(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3]))
    window.settle()
    window.refresh()
    change(window, look(window))
    transform(window)
    window.host.call("ExtHostDocumentsAndEditors", "$acceptDocumentsAndEditorsDelta", {"removedDocuments": [window.uri]})
    status = window.host.stop()
    print("errors", window.errors)
    print("exit status", status)


main()

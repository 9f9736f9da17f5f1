// Starts nereid-lsp-server for .ttir, .ttgir and .mlir files. Everything else is the server's.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const command = vscode.workspace.getConfiguration("nereid").get("server");
  const selector = [{ language: "nereid" }, { language: "mlir" }];
  client = new LanguageClient("nereid", "Nereid", { command, args: ["--stdio"] }, { documentSelector: selector });
  return client.start();
}

function deactivate() {
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate };

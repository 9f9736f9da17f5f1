-- The language server of Nereid, for Neovim 0.11 and later: vim.lsp.enable('nereid')
return {
  cmd = { 'nereid-lsp-server', '--stdio' },
  filetypes = { 'nereid', 'mlir' },
  root_markers = { '.git' },
}

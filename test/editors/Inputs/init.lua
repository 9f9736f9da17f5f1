-- The initialization file of docs: Neovim 0.11, or before. NEREID_SERVER is another command of the server, separated by spaces.
vim.opt.runtimepath:append(os.getenv('NEREID_EDITORS') .. '/nvim')
local command = vim.split(os.getenv('NEREID_SERVER') or 'nereid-lsp-server --stdio', ' ')
if vim.lsp.enable then
  vim.lsp.config('nereid', { cmd = command })
  vim.lsp.enable('nereid')
else
  vim.api.nvim_create_autocmd('FileType', {
    pattern = 'nereid',
    callback = function()
      local config = { name = 'nereid', cmd = command, root_dir = vim.fn.getcwd() }
      if vim.lsp.start then
        vim.lsp.start(config)
      else
        vim.lsp.buf_attach_client(0, vim.lsp.start_client(config))
      end
    end,
  })
end

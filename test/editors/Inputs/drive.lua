-- Drives the language server from Neovim as a user does, and prints what the user sees: NEREID_FILE is a file with a tt.load and a
-- function. Works in Neovim 0.7 and later; what a version lacks is not printed.
local function say(...)
  local words = {}
  for i = 1, select('#', ...) do
    words[i] = tostring((select(i, ...)))
  end
  io.stdout:write(table.concat(words, ' ') .. '\n')
end

local function lines(buffer)
  return vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
end

local function wait(what, ready)
  if not vim.wait(20000, ready, 20) then
    error('no ' .. what)
  end
end

-- Moves to the first line with a text, and some columns from its start.
local function go(text, columns)
  for number, line in ipairs(lines(0)) do
    local start = line:find(text, 1, true)
    if start then
      vim.api.nvim_win_set_cursor(0, { number, start - 1 + columns })
      return number
    end
  end
  error('no line with ' .. text)
end

local function count(buffer, text)
  local found = 0
  for _, line in ipairs(lines(buffer)) do
    found = found + select(2, line:gsub(vim.pesc(text) .. '%f[^%w_]', ''))
  end
  return found
end

-- Executes keys as one step of undo.
local function keys(text)
  vim.cmd('let &undolevels = &undolevels')
  vim.cmd('silent normal! ' .. text)
end

local function float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return window
    end
  end
end

local function hover()
  vim.lsp.buf.hover()
  wait('hover', float)
  local window = float()
  local text = table.concat(lines(vim.api.nvim_win_get_buf(window)), '\n')
  vim.api.nvim_win_close(window, true)
  return text
end

-- Chooses the code action with this title.
local function act(title)
  local select_before, chosen = vim.ui.select, nil
  vim.ui.select = function(items, _, choose)
    for i, item in ipairs(items) do
      local action = item.action or item[2]
      if action.title == title then
        chosen = true
        choose(item, i)
      end
    end
  end
  vim.lsp.buf.code_action()
  wait('action ' .. title, function() return chosen end)
  vim.ui.select = select_before
end

local function drive()
  local buffer, window = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  local errors = function() return #vim.diagnostic.get(buffer) end
  wait('client', function()
    local clients = vim.lsp.get_clients and vim.lsp.get_clients({ bufnr = buffer }) or vim.lsp.buf_get_clients(buffer)
    return next(clients) and vim.tbl_get(clients, next(clients), 'initialized') ~= false
  end)
  say('file type', vim.bo.filetype, 'comments', vim.bo.commentstring)

  local load = go(' = tt.load', -1)
  local name = vim.api.nvim_get_current_line():match('%%[%w_]+')
  say('hover', name, (hover():gsub('`', ''):match('%%[^\n]*')))
  go('tt.load', 4)
  say('documentation', (hover():gsub('[%*`]', ''):match('[^\n]+')))

  local uses = count(buffer, name)
  go(' = tt.load', -1)
  vim.lsp.buf.references()
  wait('references', function() return #vim.fn.getqflist() > 0 end)
  say('references', #vim.fn.getqflist() == uses)
  vim.cmd('cclose')

  -- To the definition from the last use.
  for number, line in ipairs(lines(buffer)) do
    local start = line:find(name .. '%f[^%w_]')
    if start then
      vim.api.nvim_win_set_cursor(0, { number, start })
    end
  end
  vim.lsp.buf.definition()
  wait('definition', function() return vim.api.nvim_win_get_cursor(0)[1] == load end)
  say('definition found')

  vim.lsp.buf.rename('loaded')
  wait('rename', function() return count(buffer, name) == 0 end)
  say('renamed', count(buffer, '%loaded') == uses)

  -- A line with an error, typed in two steps, and undone.
  go(' = tt.load', 0)
  keys('O    tt.')
  keys('Aoops')
  wait('error', function() return errors() == 1 end)
  say('error at the line', vim.diagnostic.get(buffer)[1].lnum + 1 == load, vim.diagnostic.get(buffer)[1].message)
  keys('uu')
  wait('no error', function() return errors() == 0 end)
  say('no error after undo')

  -- Completion after "tt." in a new line.
  keys('O    tt.')
  local completion = vim.lsp.buf_request_sync(buffer, 'textDocument/completion', {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    position = { line = vim.api.nvim_win_get_cursor(0)[1] - 1, character = 7 },
  }, 10000)
  local items = completion[next(completion)].result.items
  say('completion', #items > 20, vim.tbl_contains(vim.tbl_map(function(item) return item.label end, items), 'tt.load'))
  keys('u')

  vim.lsp.buf.document_symbol()
  wait('symbols', function() return #vim.fn.getloclist(0) > 0 or vim.fn.getqflist({ title = 0 }).title:find('Symbols') end)
  vim.api.nvim_set_current_win(window)
  vim.cmd('only')
  say('symbols found')

  if vim.lsp.semantic_tokens then
    go('%loaded', 1)
    wait('semantic token', function() return #(vim.lsp.semantic_tokens.get_at_pos(buffer) or {}) > 0 end)
    say('semantic token', vim.lsp.semantic_tokens.get_at_pos(buffer)[1].type)
  end

  if vim.fn.has('nvim-0.8') == 1 then
    local function_name = lines(buffer)[go('tt.func', 4)]:match('@([%w_]+)')
    -- A value without uses, which canonicalization removes.
    keys('o    %unused = arith.constant 7 : i32')
    act('Show what canonicalize changes in @' .. function_name)
    wait('shown changes', function() return vim.api.nvim_buf_get_name(0):match('%.diff$') end)
    say('shown', lines(0)[1]:gsub(function_name, 'k'))
    vim.cmd('buffer ' .. buffer)
    go('tt.func', 4)
    act('Run canonicalize on @' .. function_name)
    wait('pass', function() return count(buffer, '%unused') == 0 end)
    wait('no error', function() return errors() == 0 end)
    say('pass ran')
  end
end

local done, failure = pcall(drive)
say(done and 'end' or failure)
vim.cmd('qall!')

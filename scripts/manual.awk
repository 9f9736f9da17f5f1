# manual.awk -v out=FOLDER -v version=V PAGE.md: manual pages from what the tools print of themselves in Markdown.
#
#   nereid --print-command-docs    nereid.1, and nereid-COMMAND.1 for each `## `nereid COMMAND ...`` section
#   nereid-opt --print-pass-docs   nereid-opt.1, with `page` = "nereid-opt": a paragraph for each `## `pass`` section
#
# A table row becomes a tagged paragraph, a list item a bulleted one, words in backquotes bold.

function escaped(text) {
  gsub(/…/, "...", text) # roff takes ASCII only
  gsub(/…/, "...", text)
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  return text
}

function inline(text,   parts, n, i, line) {
  gsub(/\001/, "|", text)
  n = split(escaped(text), parts, "`")
  for (i = 1; i <= n; i++) line = line (i > 1 ? (i % 2 ? "\\fR" : "\\fB") : "") parts[i]
  return line ~ /^[.']/ ? "\\&" line : line
}

function emit(text) { print text > file }

function begin(name, usage) {
  if (file) close(file)
  file = out "/" name ".1"
  emit(".TH " toupper(escaped(name)) " 1 \"\" \"nereid " version "\" \"Nereid\"")
  title = escaped(name)
  synopsis = usage
  named = 0
}

# The first paragraph of a page is its summary: "Compiles tensor IR." becomes "compiles tensor IR".
function summary(text) {
  sub(/\.$/, "", text)
  emit(".SH NAME\n" title " \\- " inline(tolower(substr(text, 1, 1)) substr(text, 2)))
  emit(".SH SYNOPSIS\n" synopsis)
  summaries[n_commands] = text
  named = 1
}

BEGIN {
  if (page) {
    begin(page, ".B nereid\\-opt\n[options] [FILE]")
    summary("Runs passes over Triton's tensor IR")
    emit(".SH DESCRIPTION\nReads a module, runs the passes that the options name in their order, and prints the module. " \
         "\\fBnereid\\-opt \\-\\-help\\fR lists all options, those of MLIR too. The passes of Nereid follow.")
  } else {
    begin("nereid", ".B nereid\nCOMMAND [options]")
    summary("Compiles Triton's tensor IR to NVIDIA machine code and runs it")
    emit(".SH DESCRIPTION\nCompiles kernels in Triton's tensor IR, the llvm dialect of MLIR, LLVM IR or PTX; runs them on a GPU, in " \
         "the PTX emulator or in the interpreter; shows and tests what passes do. Each command has a page of its own.")
  }
}

function environment(name, text) { print ".TP\n\\fB" name "\\fR\n" escaped(text) >> file }

{ gsub(/\\\|/, "\001") }
/^# / || /: do not edit\.$/ || /^Written by / || /^\|---/ || /^\| (option|property) \|/ || /^$/ { next }

/^## `nereid / && !page {
  line = $0
  gsub(/^## `|`$/, "", line)
  split(line, words, " ")
  commands[++n_commands] = "nereid-" words[2]
  sub(/^nereid [a-z]+/, "", line)
  begin("nereid-" words[2], ".B nereid " words[2] "\n" inline(substr(line, 2)))
  next
}
/^## / {
  line = $0
  sub(/^## /, "", line)
  emit(line ~ /^`/ ? ".TP\n" inline(line) : ".SH " toupper(inline(line)))
  next
}
/^\| / {
  line = $0
  sub(/^\| /, "", line)
  sub(/ \|$/, "", line)
  n = split(line, cells, / \| /)
  if (!page && !options[file]++) emit(".SH OPTIONS")
  emit(".TP\n" inline(cells[1]) "\n" inline(cells[2]) (n > 2 ? " Established by " inline(cells[3]) "." : ""))
  next
}
/^- / { emit(".br\n\\(bu " inline(substr($0, 3))); next }
!named { summary($0); next }
sub(/^Exit status: /, "") && !page { exit_status = inline($0); next }
{ emit(inline($0)); if (page) emit(".br") }

END {
  if (page) exit
  close(file)
  file = out "/nereid.1"
  print ".SH COMMANDS" >> file
  for (i = 1; i <= n_commands; i++)
    print ".TP\n\\fB" escaped(substr(commands[i], 8)) "\\fR\n" inline(summaries[i]) "." >> file
  print ".SH EXIT STATUS\n" exit_status >> file
  print ".SH ENVIRONMENT" >> file
  environment("CUDA_HOME, CUDA_PATH", "folders of a CUDA toolkit: ptxas, nvJitLink, libdevice")
  environment("PATH", "ptxas, nvdisasm")
  environment("NEREID_STORE", "store of compiled kernels, as for --store")
  environment("NEREID_STORE_LIMIT", "limit of its folder, such as 20G")
  environment("NEREID_REDIS_PASSWORD", "password of its server")
  environment("CC", "C compiler of nereid aot")
  environment("TMPDIR", "folder of temporary files")
  environment("NO_COLOR, PAGER", "output of nereid diff on a terminal")
  print ".SH EXAMPLES\n.nf\nnereid compile kernel.ttir \\-o kernel.cubin\nnereid info kernel.cubin\n" \
        "nereid run kernel.ttir \\-\\-grid 98 \\-\\-arg x=f32[100000]:rand \\-\\-arg n=100000 \\-\\-check interpreter\n.fi" >> file
  line = ""
  commands[++n_commands] = "nereid-lsp-server"
  commands[++n_commands] = "nereid-opt"
  for (i = 1; i <= n_commands; i++) line = line (i > 1 ? ",\n" : "") ".BR " escaped(commands[i]) " (1)"
  gsub(/\(1\),/, "(1),", line)
  print ".SH SEE ALSO\n" line >> file
}

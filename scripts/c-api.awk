# c-api.awk HEADER...: the declarations of C headers with their comments, as Markdown.
#
#   /* Ends a session. */                     ### `nereid_compiler_destroy`
#   void nereid_compiler_destroy(...);   ->   Ends a session.
#                                             (the declaration as C)
#
# The first comment of a header is printed under its name. A comment followed by a blank line is a paragraph of its own.
# A comment above a declaration belongs to it and to those that follow without a blank line. Lines of the form
# `/* --- words --- */`, preprocessor lines and the bodies of inline functions are omitted.

# Markdown takes <name> for HTML, but not between backticks.
function escaped(line,   parts, n, i, out) {
  n = split(line, parts, "`")
  for (i = 1; i <= n; i++) {
    if (i % 2) gsub(/</, "\\<", parts[i])
    out = out (i > 1 ? "`" : "") parts[i]
  }
  return out
}

# A comment as paragraphs: without its frame; lines that it indents are code and stay as they are.
function prose(text,   lines, n, i, line, code, out) {
  n = split(text, lines, "\n")
  for (i = 1; i <= n; i++) {
    line = lines[i]
    sub(/^(\/\*| \*) ?/, "", line)
    sub(/ ?\*\/$/, "", line)
    if (line ~ /^  / && !code) { out = out "```\n"; code = 1 }
    if (code && line !~ /^  / && line != "") { out = out "```\n"; code = 0 }
    if (code && line == "" && lines[i + 1] !~ /^ \*   /) { out = out "```\n"; code = 0 }
    sub(/^  /, "", line)
    if (!code) line = escaped(line)
    if (!(i == n && line == "")) out = out line "\n"
  }
  return out (code ? "```\n" : "")
}

# What a declaration declares: the name before its parameters, or the last word of a typedef or enum.
function declared(text,   flat) {
  flat = text
  gsub(/\/\*[^*]*\*\//, "", flat)
  gsub(/\n/, " ", flat)
  if (flat ~ /^typedef [^{]*\(\*/) { sub(/^[^(]*\(\*/, "", flat); sub(/\).*/, "", flat); return flat }
  if (flat ~ /^(typedef )?(struct|enum|union)[^(]*\{/ || flat ~ /^typedef/) {
    if (flat ~ /^(enum|struct|union) *\{/) { sub(/^[^{]*\{ */, "", flat); sub(/[ ,=}].*/, "", flat); return flat }
    sub(/.*\}/, "", flat); sub(/;.*/, "", flat); sub(/.* \*?/, "", flat)
    return flat
  }
  sub(/\(.*/, "", flat)
  sub(/.*[ *]/, "", flat)
  sub(/;$/, "", flat)
  return flat
}

function end_group() {
  if (group != "") {
    printf "\n### %s\n\n", names
    if (comment != "") print prose(comment)
    printf "```c\n%s```\n", group
  } else if (comment != "")
    printf "\n%s", prose(comment)
  group = names = comment = ""
}

function end_declaration(   name) {
  name = declared(declaration)
  group = group declaration
  names = names (names == "" ? "" : ", ") "`" name "`"
  declaration = ""
}

FNR == 1 {
  end_group()
  name = FILENAME
  sub(/.*\/include\//, "", name)
  printf "\n## `%s`\n", name
  if (index($0, "*/")) { printf "\n%s", prose($0); next }
  comment = $0; in_comment = 1; opening = 1; next
}
in_comment {
  comment = comment "\n" $0
  if (/\*\/$/) { in_comment = 0; if (opening) end_group(); opening = 0 }
  next
}
declaration == "" && /^#define/ && comment != "" {
  name = $0
  sub(/^#define /, "", name); sub(/[ (].*/, "", name)
  names = "`" name "`"; group = $0 "\n"
  sub(/\) .*\n/, ")\n", group)
}
declaration == "" && /^struct [a-z_]*;$/ { next }
declaration == "" && /^#/ { continued = /\\$/; next }
continued { continued = /\\$/; next }
body { if (/^}/) body = 0; next }
declaration == "" && (/^extern "C"/ || /^}$/) { next }
declaration == "" && /^\/\* ---.*--- \*\/$/ { end_group(); next }
declaration == "" && /^\/\*/ {
  if (group != "" || comment != "") end_group()
  comment = $0
  in_comment = !/\*\/$/
  next
}
declaration == "" && /^$/ { end_group(); next }
# The first of the lines of an inline function that ends in a brace ends what is shown of it.
/^#/ { next }
{
  inline = inline || /^static inline/
  declaration = declaration $0 "\n"
  if (inline && /\{$/) {
    sub(/ \{\n$/, ";\n", declaration)
    end_declaration()
    inline = 0; body = 1
  } else if (/;( *\/\*.*\*\/)?$/ && ($0 !~ /^ / || declaration !~ /\{/)) {
    end_declaration()
    inline = 0
  }
}
END { end_group() }

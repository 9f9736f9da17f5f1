/* Makes C identifiers of names in the IR: "x.ptr" becomes x_ptr, "register" becomes register_. */
#include "tools/nereid/aot/names.h"

#include <ctype.h>

/* Keywords of C11 and C++17, names of <stdbool.h>, and macros that compilers define in their GNU modes; without those
 * that are reserved by a leading underscore. */
static const char *const keywords[] = {
    "alignas",  "alignof", "and",          "and_eq",    "asm",          "auto",     "bitand",        "bitor",
    "bool",     "break",   "case",         "catch",     "char",         "char16_t", "char32_t",      "class",
    "compl",    "const",   "const_cast",   "constexpr", "continue",     "decltype", "default",       "delete",
    "do",       "double",  "dynamic_cast", "else",      "enum",         "explicit", "export",        "extern",
    "false",    "float",   "for",          "friend",    "goto",         "if",       "inline",        "int",
    "long",     "mutable", "namespace",    "new",       "noexcept",     "not",      "not_eq",        "nullptr",
    "operator", "or",      "or_eq",        "private",   "protected",    "public",   "register",      "reinterpret_cast",
    "restrict", "return",  "short",        "signed",    "sizeof",       "static",   "static_assert", "static_cast",
    "struct",   "switch",  "template",     "this",      "thread_local", "throw",    "true",          "try",
    "typedef",  "typeid",  "typename",     "union",     "unsigned",     "using",    "virtual",       "void",
    "volatile", "wchar_t", "while",        "xor",       "xor_eq",       "linux",    "unix",          "NULL",
    "errno",    "stdin",   "stdout",       "stderr"};

static bool is_letter(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

bool tool_name_is_identifier(const char *text) {
  const char *at = text;
  while (is_letter(*at))
    at++;
  return *text && !*at;
}

const char *tool_name_identifier(nereid_arena_t *arena, const char *text) {
  char *name = nereid_arena_format(arena, "%s%s", isdigit((unsigned char)*text) ? "_" : "", text);
  for (char *at = name; at && *at; at++)
    if (!is_letter(*at))
      *at = '_';
  return name;
}

const char *tool_name_variable(nereid_arena_t *arena, const char *text) {
  const char *name = tool_name_identifier(arena, text);
  for (size_t i = 0; name && i < sizeof keywords / sizeof *keywords; i++)
    if (strcmp(name, keywords[i]) == 0)
      return nereid_arena_format(arena, "%s_", name);
  return name;
}

/* Converts names of a .td file to C names.
 *
 *   sizePerThread -> size_per_thread      RMWOp -> rmw_op      async.token -> async_token      register -> register_
 *
 * A word starts at a capital that follows or precedes a lower-case letter: E4M3 is one word. */
#include "tools/ods-bindgen/c_names.h"

#include "tools/ods-bindgen/text.h"

#include <ctype.h>

static bool splits(const char *name, size_t i) {
  unsigned char before = (unsigned char)name[i - 1], here = (unsigned char)name[i], after = (unsigned char)name[i + 1];
  if (!isupper(here) || !isalnum(before))
    return false;
  return islower(before) || islower(after);
}

const char *snake_case(const char *name) {
  char *made = allocate(strlen(name) * 2 + 1, 1);
  size_t size = 0;
  for (size_t i = 0; name[i]; i++) {
    unsigned char c = (unsigned char)name[i];
    if (i && splits(name, i))
      made[size++] = '_';
    made[size++] = isalnum(c) ? (char)tolower(c) : '_';
  }
  return made;
}

const char *upper_case(const char *name) {
  char *made = format("%s", snake_case(name));
  for (char *c = made; *c; c++)
    *c = (char)toupper((unsigned char)*c);
  return made;
}

static bool is_keyword(const char *name) {
  static const char *const words[] = {
      "alignas",   "alignof",  "and",    "asm",      "auto",     "bool",     "break",     "case",
      "catch",     "char",     "class",  "const",    "continue", "default",  "delete",    "do",
      "double",    "else",     "enum",   "explicit", "export",   "extern",   "false",     "float",
      "for",       "friend",   "goto",   "if",       "inline",   "int",      "long",      "mutable",
      "namespace", "new",      "not",    "operator", "or",       "private",  "protected", "public",
      "register",  "restrict", "return", "short",    "signed",   "sizeof",   "static",    "struct",
      "switch",    "template", "this",   "throw",    "true",     "try",      "typedef",   "typename",
      "union",     "unsigned", "using",  "virtual",  "void",     "volatile", "while",     "xor",
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i], name) == 0)
      return true;
  return false;
}

const char *c_identifier(const char *name) {
  const char *made = snake_case(name);
  return is_keyword(made) ? format("%s_", made) : made;
}

const char *camel_case(const char *name) {
  char *made = allocate(strlen(name) + 1, 1);
  size_t size = 0;
  bool capital = true;
  for (; *name; name++) {
    if (*name == '_') {
      capital = true;
      continue;
    }
    made[size++] = capital ? (char)toupper((unsigned char)*name) : *name;
    capital = false;
  }
  return made;
}

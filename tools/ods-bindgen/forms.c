/* The C form of attributes and parameters: declarations, value types, enums.
 *
 *   FORM_I32_ARRAY order  ->  intptr_t n_order, const int32_t *order
 *   enum CacheModifier    ->  typedef enum nereid_tt_cache_modifier { NEREID_TT_CACHE_MODIFIER_NONE = 1, ... } ..._t;
 */
#include "tools/ods-bindgen/generate.h"

void add_form(text_t *text, form_t form, unsigned bits, const enumeration_t *enumeration, const char *c_name) {
  const char *plain = c_name[strlen(c_name) - 1] == '_' ? format("%.*s", (int)strlen(c_name) - 1, c_name) : c_name;
  if (form == FORM_I32_ARRAY || form == FORM_I64_ARRAY)
    add(text, "intptr_t n_%s, const int%d_t *%s", plain, form == FORM_I32_ARRAY ? 32 : 64, c_name);
  else if (form == FORM_TYPE_ATTR)
    add(text, "MlirAttribute %s", c_name);
  else
    add(text, "%s %s", value_type(form, bits, enumeration), c_name);
}

const char *value_type(form_t form, unsigned bits, const enumeration_t *enumeration) {
  switch (form) {
  case FORM_ATTRIBUTE:
    return "MlirAttribute";
  case FORM_UNIT:
  case FORM_BOOL:
    return "bool";
  case FORM_INTEGER:
    return format("int%u_t", bits);
  case FORM_INDEX:
  case FORM_I64_ARRAY:
    return "int64_t";
  case FORM_I32_ARRAY:
    return "int32_t";
  case FORM_STRING:
  case FORM_SYMBOL:
    return "MlirStringRef";
  case FORM_ENUM:
  case FORM_ENUM_CLASS:
    return format("%s_t", enumeration->c_name);
  case FORM_TYPE:
  case FORM_TYPE_ATTR:
    return "MlirType";
  case FORM_UNSIGNED:
    return "unsigned";
  case FORM_INT:
    return "int";
  }
  return NULL;
}

bool is_natural(const argument_t *argument) {
  return argument->kind != ARGUMENT_OPERAND && !argument->optional && argument->form != FORM_ATTRIBUTE &&
         argument->form != FORM_TYPE_ATTR;
}

void add_op_comment(text_t *text, const op_t *op) {
  text_t words = {0};
  add(&words, "/* %s%s%s */", op->full_name, op->summary ? ": " : "", op->summary ? op->summary : "");
  size_t end = words.size - 2;
  words.data[end - 1] = 0;
  add(text, "\n");
  add_wrapped(text, "", words.data);
  add(text, " */\n");
  text_free(&words);
}

static bool comment_safe(const char *words) {
  return words && !strstr(words, "*/") && !strchr(words, '\n');
}

void generate_enums(text_t *header, const dialect_t *dialect) {
  for (size_t i = 0; i < dialect->enum_count; i++) {
    const enumeration_t *each = dialect->enums[i];
    if (comment_safe(each->summary))
      add(header, "\n/* %s%s */", each->summary, each->bits ? " (flags)" : "");
    add(header, "\ntypedef enum %s {\n", each->c_name);
    for (size_t k = 0; k < each->case_count; k++)
      add(header, "  %s_%s = %lld,%s%s%s\n", upper_case(each->c_name), upper_case(each->cases[k].symbol),
          each->cases[k].value, comment_safe(each->cases[k].spelling) ? " /* " : "",
          comment_safe(each->cases[k].spelling) ? each->cases[k].spelling : "",
          comment_safe(each->cases[k].spelling) ? " */" : "");
    add(header, "} %s_t;\n", each->c_name);
  }
}

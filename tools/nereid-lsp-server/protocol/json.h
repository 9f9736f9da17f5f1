/* Helpers for the JSON of the protocol. */
#ifndef NEREID_TOOLS_LSP_JSON_H
#define NEREID_TOOLS_LSP_JSON_H

#include "base/arena.h"
#include "tools/nereid-lsp-server/text/document.h"

#include <cjson/cJSON.h>

/* Returns the member at a path such as "textDocument.uri"; null when there is none. */
const cJSON *lsp_json_get(const cJSON *object, const char *path);

/* Returns the text at a path; "" when it is not a string. */
const char *lsp_json_text(const cJSON *object, const char *path);

/* Returns the number at a path, limited to 0 up to `limit`; 0 when it is not a number. */
uint32_t lsp_json_number(const cJSON *object, const char *path, uint32_t limit);

/* Returns whether the value at a path is true. */
bool lsp_json_is_true(const cJSON *object, const char *path);

/* Returns the {"line", "character"} at a path; zeros for what is missing. */
lsp_position_t lsp_json_position(const cJSON *object, const char *path);

/* Creates a range of the document from byte offsets. */
cJSON *lsp_json_range(const lsp_document_t *document, lsp_encoding_t encoding, size_t start, size_t end);

/* Creates {"uri", "range"}. */
cJSON *lsp_json_location(const lsp_document_t *document, lsp_encoding_t encoding, size_t start, size_t end);

/* Creates {"range", "newText"}. */
cJSON *lsp_json_edit(const lsp_document_t *document, lsp_encoding_t encoding, size_t start, size_t end,
                     const char *text);

/* Creates a string of a view, which may contain any bytes but NUL. */
cJSON *lsp_json_string(nereid_view_t text);

/* Replaces escapes that cJSON rejects or that would end a text, by the replacement character: \u0000 and surrogates
 * without their other half. The size stays, and so do UTF-16 columns. */
void lsp_json_repair(char *text, size_t size);

#endif

/* A request about one place of a document, and the occurrences of the name there. */
#ifndef NEREID_TOOLS_LSP_QUERY_H
#define NEREID_TOOLS_LSP_QUERY_H

#include "tools/nereid-lsp-server/protocol/server.h"

typedef struct lsp_query {
  lsp_server_t *server;
  lsp_document_t *document;
  size_t offset;             /* bytes in the document */
  const lsp_token_t *token;  /* token at the offset; null: none */
  lsp_place_t place;         /* place in the last program that parsed; its section may be null */
  const lsp_mention_t *name; /* name at the place; null: none */
  lsp_section_t *function;   /* owned: section of the place with its function only; null: none */
  bool is_textual;           /* occurrences of a symbol are the tokens with its name */
  nereid_arena_t arena;      /* memory of the answer, until lsp_query_end */
} lsp_query_t;

/* Reads `textDocument` and `position`. False after a failure. The second form does not parse the text: the query has no
 * place in a program. */
bool lsp_query_begin(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure, lsp_query_t *out);
bool lsp_query_begin_text(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure, lsp_query_t *out);
void lsp_query_end(lsp_query_t *query);

/* Makes the place of the query one of the present text by parsing its function alone. False when that is not possible
 * (lsp_sections_parse_function); the query is then as before. */
bool lsp_query_parse_function(lsp_query_t *query);

/* A name in the document, in bytes. */
typedef struct lsp_occurrence {
  size_t start, end;
  bool is_definition;
} lsp_occurrence_t;

typedef struct lsp_occurrences {
  lsp_occurrence_t *data; /* in order of their starts */
  size_t count;
} lsp_occurrences_t;

/* Finds all occurrences of the name: of an alias in the text, of others in the program. None when there is no name. */
lsp_occurrences_t lsp_query_occurrences(lsp_query_t *query);

#endif

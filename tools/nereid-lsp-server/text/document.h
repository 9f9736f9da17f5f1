/* An open document: its text, and what is computed of it on demand. */
#ifndef NEREID_TOOLS_LSP_DOCUMENT_H
#define NEREID_TOOLS_LSP_DOCUMENT_H

#include "tools/nereid-lsp-server/text/lexer.h"
#include "tools/nereid-lsp-server/text/lines.h"

enum { LSP_MAX_TEXT = 32 << 20 }; /* bytes of the text; larger documents are not analyzed */

typedef struct lsp_sections lsp_sections_t; /* ir/sections.h */

/* An answer about colors (features/semantic_tokens.c): five numbers for each token. */
typedef struct lsp_colors {
  uint32_t *numbers; /* owned */
  size_t count;
} lsp_colors_t;

typedef struct lsp_document {
  char *uri, *language; /* owned */
  int64_t version;      /* number of the version, from the client */
  nereid_arena_t arena; /* owner of the text, its lines and tokens; a new one with each edit */
  nereid_view_t text;   /* with a NUL after its end */
  lsp_lines_t lines;
  lsp_tokens_t tokens; /* empty until lsp_document_tokens */
  bool has_tokens;
  lsp_colors_t colors;      /* the last answer; empty at first */
  bool is_changed;          /* edits since the last parse of the sections */
  bool is_published;        /* diagnostics of this text sent to the client */
  int parse_time;           /* milliseconds of its last diagnostics */
  const char *fault;        /* reason not to parse the text; null: none. Static storage */
  lsp_sections_t *sections; /* owned; null at first */
  struct lsp_document *next;
} lsp_document_t;

/* Creates a document that contains a copy of the text. Null when out of memory. */
lsp_document_t *lsp_document_create(const char *uri, const char *language, int64_t version, nereid_view_t text);

/* Frees the document, but not its sections. */
void lsp_document_destroy(lsp_document_t *document);

/* Replaces the bytes from `start` to `end` by `text`. False when out of memory; the text is then unchanged. */
bool lsp_document_edit(lsp_document_t *document, size_t start, size_t end, nereid_view_t text);

/* Returns the tokens of the text; none when out of memory. */
const lsp_tokens_t *lsp_document_tokens(lsp_document_t *document);

/* Returns whether the text is MLIR: by the language or extension, unless it begins like PTX, LLVM IR or bytecode. */
bool lsp_document_is_mlir(const lsp_document_t *document);

#endif

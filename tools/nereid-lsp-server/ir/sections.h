/* The parts of a document between lines `// -----`, each a module of its own, as in mlir-opt --split-input-file.
 *
 * A section keeps the program of its last text that parsed: while text is incomplete, answers about the unchanged
 * text before and after the edit come from there. */
#ifndef NEREID_TOOLS_LSP_SECTIONS_H
#define NEREID_TOOLS_LSP_SECTIONS_H

#include "tools/nereid-lsp-server/ir/program.h"
#include "tools/nereid-lsp-server/text/document.h"

typedef struct lsp_section {
  size_t start, end;           /* bytes of the document */
  nereid_arena_t arena;        /* memory of the diagnostics */
  lsp_diagnostic_t *messages;  /* offsets from `start` */
  lsp_program_t *program;      /* the last one that parsed; null: none */
  bool is_parsed;              /* parse of the present text, successful or not */
  bool is_current;             /* `program` from the present text */
  uint64_t hash;               /* hash of the present text */
  size_t same_start, same_end; /* bytes at the start and end in common with the text of `program` */
} lsp_section_t;

struct lsp_sections {
  lsp_section_t *data;
  size_t count;
  bool allows_all; /* operations of unknown dialects without errors */
};

/* Parses the sections that changed. A document that is not MLIR, is too large or has a fault gets none. `count` is 0
 * when out of memory. */
const lsp_sections_t *lsp_sections_update(lsp_document_t *document);

/* The same, but a large section that changed keeps the program of its former text: for answers that must be fast and
 * may leave out what changed. */
const lsp_sections_t *lsp_sections_recent(lsp_document_t *document);
void lsp_sections_destroy(lsp_sections_t *sections);

/* A place in the program of a section. */
typedef struct lsp_place {
  const lsp_section_t *section; /* null: no program at the place */
  const lsp_program_t *program;
  size_t offset; /* bytes in the text of the program */
} lsp_place_t;

/* The bounds of the section that contains a byte offset, from the text alone. */
typedef struct lsp_part {
  size_t start, end;
} lsp_part_t;
lsp_part_t lsp_document_part(const lsp_document_t *document, size_t offset);

/* Returns the place of a byte offset of the document, in the recent program of its section. */
lsp_place_t lsp_sections_place(lsp_document_t *document, size_t offset);

/* Returns whether the present text of the section with a byte offset was parsed and has errors of the parser. */
bool lsp_sections_has_errors(lsp_document_t *document, size_t offset);

/* Parses the function around `offset` alone, which is much faster than its section, when it is the only one that has
 * changed since the section was parsed. Returns a section whose program contains that function and has the offsets of
 * the whole one, to be destroyed by the caller; null when other text has changed, or the function does not parse. */
lsp_section_t *lsp_sections_parse_function(lsp_document_t *document, size_t offset);

/* Returns whether each mention of a symbol's name is one of the symbol: all symbols of the section that contains a byte
 * offset are in one table, `symbol` was one of them when the section was parsed, and only one function has changed
 * since, which parses alone. */
bool lsp_sections_has_one_scope(lsp_document_t *document, size_t offset, nereid_view_t symbol);

void lsp_section_destroy(lsp_section_t *section);

/* Sets the range of the document for a range of the program's text; false when the text has changed there. */
bool lsp_section_range(const lsp_section_t *section, size_t start, size_t end, size_t *out_start, size_t *out_end);

/* The same for the range of an operation with regions, which is also known when the change is inside it. */
bool lsp_section_scope(const lsp_section_t *section, size_t start, size_t end, size_t *out_start, size_t *out_end);

#endif

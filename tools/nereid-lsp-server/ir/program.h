/* A parsed part of a document: its operations, and the places in the text that define and use names. */
#ifndef NEREID_TOOLS_LSP_PROGRAM_H
#define NEREID_TOOLS_LSP_PROGRAM_H

#include "base/map.h"
#include "seam/tools.h"

#include <mlir-c/Diagnostics.h>

/* A context that several programs share. */
typedef struct lsp_context {
  MlirContext context;
  int users;
} lsp_context_t;

/* Returns a context with one user; null when out of memory. `allows_all`: unknown dialects are not errors. */
lsp_context_t *lsp_context_create(bool allows_all);
void lsp_context_release(lsp_context_t *context);

/* A message about the text. Ranges are in bytes from the start of the text. */
typedef struct lsp_diagnostic {
  MlirDiagnosticSeverity severity;
  size_t start, end;
  const char *text;
  struct lsp_diagnostic *notes, *next; /* notes: those of this message */
} lsp_diagnostic_t;

typedef struct lsp_diagnostics {
  nereid_arena_t *arena;
  nereid_view_t text;
  lsp_diagnostic_t *first, **last;
} lsp_diagnostics_t;

typedef struct lsp_definition {
  NereidMlirSourceKind kind;
  size_t start, end;             /* bytes of the defined name */
  size_t scope_start, scope_end; /* bytes of an operation with its regions */
  intptr_t index;                /* number of the first result, or of the argument */
  intptr_t count;                /* number of results of the group */
  MlirOperation op;              /* operation, or owner of the results */
  MlirBlock block;               /* block, or owner of the argument */
  MlirAttribute attribute;       /* value of an alias */
  MlirType type;
  MlirLocation location; /* location in the text of an operation, whose own one is its place in the document */
  nereid_view_t name;    /* name of an alias or a symbol; else empty */
  const NereidMlirSourceRange *uses;
  size_t n_uses;
} lsp_definition_t;

/* A place in the text: the name of a definition, or a use of it. */
typedef struct lsp_mention {
  size_t start, end;
  const lsp_definition_t *definition;
  bool is_definition;
} lsp_mention_t;

typedef struct lsp_facts lsp_facts_t; /* ir/facts.h */

typedef struct lsp_program {
  nereid_arena_t arena; /* owner of everything here */
  lsp_context_t *context;
  nereid_view_t text;   /* copy with a NUL after its end */
  MlirBlock block;      /* parent of the operations of the text */
  MlirOperation module; /* builtin.module of the text, or one around its operations */
  bool is_valid;        /* verdict of the verifier */
  lsp_definition_t *definitions;
  size_t n_definitions;
  lsp_mention_t *mentions; /* in order of their starts */
  size_t n_mentions;
  lsp_definition_t **operations; /* in order of their scopes: the enclosing one before those in it */
  size_t n_operations;
  nereid_map_t of_op; /* operation -> its definition */
  lsp_facts_t *facts; /* null until requested; to be destroyed before the program */
} lsp_program_t;

/* Parses and verifies `text`. Returns the program, which may be invalid; null after an error of the parser, or when out
 * of memory. `diagnostics` receives all messages; its arena is that of the caller. */
lsp_program_t *lsp_program_create(lsp_context_t *context, nereid_view_t text, lsp_diagnostics_t *diagnostics);
void lsp_program_destroy(lsp_program_t *program);

/* Returns the name in the text at `offset`, or one that ends there; null when there is none. */
const lsp_mention_t *lsp_program_mention(const lsp_program_t *program, size_t offset);

/* Returns the innermost operation whose text contains `offset`; null when there is none. */
const lsp_definition_t *lsp_program_operation(const lsp_program_t *program, size_t offset);

/* Returns the definition of an operation; null when it has none. */
const lsp_definition_t *lsp_program_find(const lsp_program_t *program, MlirOperation op);

/* Returns the value with number `index` of a group of results, or the argument; null for other definitions. */
MlirValue lsp_definition_value(const lsp_definition_t *definition, intptr_t index);

/* Adds a message and its notes, a handler of MLIR's diagnostics; `data` is an lsp_diagnostics_t. */
MlirLogicalResult lsp_diagnostics_add(MlirDiagnostic diagnostic, void *data);

/* Adds an error at a line and column, counted from 1, or at the end of the text. */
void lsp_diagnostics_report(lsp_diagnostics_t *diagnostics, unsigned line, unsigned column, const char *text);

#endif

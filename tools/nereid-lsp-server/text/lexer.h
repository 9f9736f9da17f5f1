/* Tokens of MLIR text, also of text that does not parse.
 *
 *   %x = tt.load %p : tensor<64x!tt.ptr<f32>, #blocked>
 *   value, punctuation, operation, value, punctuation, builtin type, ..., type, ..., attribute alias */
#ifndef NEREID_TOOLS_LSP_LEXER_H
#define NEREID_TOOLS_LSP_LEXER_H

#include "base/arena.h"

typedef enum lsp_token_kind {
  LSP_TOKEN_COMMENT,
  LSP_TOKEN_STRING,
  LSP_TOKEN_NUMBER,
  LSP_TOKEN_VALUE,      /* %x */
  LSP_TOKEN_RESULT,     /* #1 after a value */
  LSP_TOKEN_SYMBOL,     /* @f */
  LSP_TOKEN_BLOCK,      /* ^bb0 */
  LSP_TOKEN_ATTR_ALIAS, /* #blocked */
  LSP_TOKEN_TYPE_ALIAS, /* !ty */
  LSP_TOKEN_ATTRIBUTE,  /* #ttg.blocked */
  LSP_TOKEN_TYPE,       /* !tt.ptr */
  LSP_TOKEN_BUILTIN,    /* f32, tensor */
  LSP_TOKEN_OPERATION,  /* tt.load, "tt.load" in the generic form, module */
  LSP_TOKEN_NAME,       /* name of an attribute, before an equals sign */
  LSP_TOKEN_WORD,       /* any other identifier */
  LSP_TOKEN_PUNCTUATION,
} lsp_token_kind_t;

typedef struct lsp_token {
  uint32_t start, length; /* bytes */
  lsp_token_kind_t kind;
  bool is_definition; /* the definition of a value, alias or block, not a use */
} lsp_token_t;

typedef struct lsp_tokens {
  lsp_token_t *data;
  size_t count;
} lsp_tokens_t;

/* Finds the tokens of `text`, at most UINT32_MAX bytes; false when out of memory. */
bool lsp_tokens_find(nereid_arena_t *arena, nereid_view_t text, lsp_tokens_t *out);

/* Returns the token that contains `offset`, or one that ends there; null when there is none. Of two, an identifier is
 * preferred to punctuation. */
const lsp_token_t *lsp_tokens_at(const lsp_tokens_t *tokens, size_t offset);

/* Returns the index of the first token that begins at or after `offset`. */
size_t lsp_tokens_from(const lsp_tokens_t *tokens, size_t offset);

static inline nereid_view_t lsp_token_text(nereid_view_t text, const lsp_token_t *token) {
  return nereid_view_of(text.data + token->start, token->length);
}

#endif

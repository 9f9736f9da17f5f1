/* One pass without recursion; unknown bytes are punctuation. An operation is a name with a dot at the start of a line
 * or after the equals sign of results, which is where MLIR's printer puts it. */
#include "tools/nereid-lsp-server/text/lexer.h"

#include "base/vector.h"

typedef struct lexer {
  nereid_arena_t *arena;
  nereid_view_t text;
  size_t at;
  NEREID_VECTOR(lsp_token_t) tokens;
} lexer_t;

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name(char c) {
  return is_letter(c) || is_digit(c) || c == '$' || c == '.';
}

static char peek(const lexer_t *lexer, size_t ahead) {
  return lexer->at + ahead < lexer->text.size ? lexer->text.data[lexer->at + ahead] : 0;
}

static void skip_names(lexer_t *lexer) {
  while (is_name(peek(lexer, 0)) || (peek(lexer, 0) == '-' && is_letter(peek(lexer, 1))))
    lexer->at++;
}

/* Names after % @ ^ # ! may contain a minus: %c-1_i32. */
static void skip_suffix(lexer_t *lexer) {
  while (is_name(peek(lexer, 0)) || (peek(lexer, 0) == '-' && peek(lexer, 1) != '>'))
    lexer->at++;
}

static void skip_string(lexer_t *lexer) {
  lexer->at++;
  while (lexer->at < lexer->text.size && peek(lexer, 0) != '"' && peek(lexer, 0) != '\n')
    lexer->at += peek(lexer, 0) == '\\' && peek(lexer, 1) && peek(lexer, 1) != '\n' ? 2 : 1;
  lexer->at += peek(lexer, 0) == '"';
}

/* 12, 0x7F, 1.5e-3; the x of a shape ends a number. */
static void skip_number(lexer_t *lexer) {
  if (peek(lexer, 0) == '0' && peek(lexer, 1) == 'x' && !is_letter(peek(lexer, 2)) && is_digit(peek(lexer, 2)))
    lexer->at += 2;
  const bool is_hex =
      lexer->at >= 2 && lexer->text.data[lexer->at - 1] == 'x' && lexer->text.data[lexer->at - 2] == '0';
  while (is_digit(peek(lexer, 0)) || peek(lexer, 0) == '.' ||
         (is_hex && ((peek(lexer, 0) | 32) >= 'a' && (peek(lexer, 0) | 32) <= 'f')))
    lexer->at++;
  if ((peek(lexer, 0) | 32) == 'e' && (is_digit(peek(lexer, 1)) || peek(lexer, 1) == '-' || peek(lexer, 1) == '+')) {
    lexer->at += 2;
    while (is_digit(peek(lexer, 0)))
      lexer->at++;
  }
}

/* Returns whether a word is a builtin type: f16, i32, si8, tensor ... */
static bool is_builtin(nereid_view_t word) {
  static const char *const names[] = {"tensor",  "memref", "vector", "index", "tuple",
                                      "complex", "none",   "bf16",   "tf32"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (nereid_view_equal(word, nereid_view(names[i])))
      return true;
  size_t at = word.size > 2 && (word.data[0] == 's' || word.data[0] == 'u') && word.data[1] == 'i' ? 2 : 1;
  if (word.size <= at || (word.data[at - 1] != 'i' && word.data[0] != 'f') || !is_digit(word.data[at]))
    return false;
  if (word.data[0] == 'f') /* f8E4M3FN */
    return word.size <= 12;
  while (at < word.size && is_digit(word.data[at]))
    at++;
  return at == word.size;
}

static const lsp_token_t *last(const lexer_t *lexer, size_t back) {
  size_t i = lexer->tokens.size;
  while (i > 0 && back < SIZE_MAX) {
    const lsp_token_t *token = &lexer->tokens.data[--i];
    if (token->kind != LSP_TOKEN_COMMENT && back-- == 0)
      return token;
  }
  return NULL;
}

static bool is_punctuation(const lexer_t *lexer, const lsp_token_t *token, char c) {
  return token && token->kind == LSP_TOKEN_PUNCTUATION && lexer->text.data[token->start] == c;
}

static bool is_line_start(const lexer_t *lexer, size_t at) {
  while (at > 0 && (lexer->text.data[at - 1] == ' ' || lexer->text.data[at - 1] == '\t'))
    at--;
  return at == 0 || lexer->text.data[at - 1] == '\n' || lexer->text.data[at - 1] == '\r';
}

/* Returns whether an operation may begin at `at`: at the start of a line, after `%x =` or `%x:2 =`, or in braces. */
static bool is_statement(const lexer_t *lexer, size_t at) {
  const lsp_token_t *before = last(lexer, 0), *second = last(lexer, 1);
  if (is_line_start(lexer, at) || !before || is_punctuation(lexer, before, '{') || is_punctuation(lexer, before, '}'))
    return true;
  return is_punctuation(lexer, before, '=') && second &&
         (second->kind == LSP_TOKEN_VALUE ||
          (second->kind == LSP_TOKEN_NUMBER && is_punctuation(lexer, last(lexer, 2), ':')));
}

static char next_character(const lexer_t *lexer) {
  size_t at = lexer->at;
  while (at < lexer->text.size && (lexer->text.data[at] == ' ' || lexer->text.data[at] == '\t'))
    at++;
  return at < lexer->text.size ? lexer->text.data[at] : 0;
}

static lsp_token_kind_t word_kind(const lexer_t *lexer, size_t start) {
  const nereid_view_t word = nereid_view_of(lexer->text.data + start, lexer->at - start);
  const char next = next_character(lexer);
  const bool has_dot = memchr(word.data, '.', word.size) != NULL;
  if (next == '=' && !is_builtin(word))
    return LSP_TOKEN_NAME;
  if ((has_dot || nereid_view_equal(word, nereid_view("module"))) && is_statement(lexer, start) && next != ',')
    return LSP_TOKEN_OPERATION;
  return is_builtin(word) ? LSP_TOKEN_BUILTIN : LSP_TOKEN_WORD;
}

static lsp_token_kind_t lex_string(lexer_t *lexer) {
  const size_t start = lexer->at;
  skip_string(lexer);
  const char next = next_character(lexer);
  if (next == '(' && is_statement(lexer, start))
    return LSP_TOKEN_OPERATION;
  return next == '=' ? LSP_TOKEN_NAME : LSP_TOKEN_STRING;
}

static lsp_token_kind_t lex_sigil(lexer_t *lexer) {
  const char sigil = peek(lexer, 0);
  const size_t start = lexer->at++;
  const bool after_value = last(lexer, 0) && last(lexer, 0)->kind == LSP_TOKEN_VALUE &&
                           last(lexer, 0)->start + last(lexer, 0)->length == start;
  if (sigil == '@' && peek(lexer, 0) == '"')
    skip_string(lexer);
  else
    skip_suffix(lexer);
  const bool has_dot = memchr(lexer->text.data + start, '.', lexer->at - start) != NULL;
  if (lexer->at == start + 1)
    return LSP_TOKEN_PUNCTUATION;
  switch (sigil) {
  case '%':
    return LSP_TOKEN_VALUE;
  case '@':
    return LSP_TOKEN_SYMBOL;
  case '^':
    return LSP_TOKEN_BLOCK;
  case '!':
    return has_dot ? LSP_TOKEN_TYPE : LSP_TOKEN_TYPE_ALIAS;
  default:
    return has_dot ? LSP_TOKEN_ATTRIBUTE : after_value ? LSP_TOKEN_RESULT : LSP_TOKEN_ATTR_ALIAS;
  }
}

static lsp_token_kind_t lex(lexer_t *lexer) {
  const char c = peek(lexer, 0);
  const size_t start = lexer->at;
  if (c == '/' && peek(lexer, 1) == '/') {
    while (lexer->at < lexer->text.size && peek(lexer, 0) != '\n' && peek(lexer, 0) != '\r')
      lexer->at++;
    return LSP_TOKEN_COMMENT;
  }
  if (c == '"')
    return lex_string(lexer);
  if (c && strchr("%@^#!", c))
    return lex_sigil(lexer);
  if (is_digit(c)) {
    skip_number(lexer);
    return LSP_TOKEN_NUMBER;
  }
  lexer->at++;
  /* 64x32xf16: the x between sizes is punctuation. */
  const lsp_token_t *before = last(lexer, 0);
  const bool in_shape = before && before->start + before->length == start &&
                        (before->kind == LSP_TOKEN_NUMBER || is_punctuation(lexer, before, '?'));
  if (!is_letter(c) || (c == 'x' && in_shape))
    return LSP_TOKEN_PUNCTUATION;
  skip_names(lexer);
  return word_kind(lexer, start);
}

/* A value is defined before an equals sign, or before a colon, comma or closing parenthesis in a list of arguments. */
static bool is_definition(const lexer_t *lexer, lsp_token_kind_t kind, size_t start) {
  const char next = next_character(lexer);
  if (kind == LSP_TOKEN_VALUE)
    return is_line_start(lexer, start) && (next == '=' || next == ':' || next == ',');
  if (kind == LSP_TOKEN_ATTR_ALIAS || kind == LSP_TOKEN_TYPE_ALIAS)
    return next == '=' && is_line_start(lexer, start);
  return kind == LSP_TOKEN_BLOCK && is_line_start(lexer, start);
}

bool lsp_tokens_find(nereid_arena_t *arena, nereid_view_t text, lsp_tokens_t *out) {
  lexer_t lexer = {.arena = arena, .text = text};
  while (lexer.at < text.size) {
    const char c = peek(&lexer, 0);
    const size_t start = lexer.at;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      lexer.at++;
      continue;
    }
    const lsp_token_kind_t kind = lex(&lexer);
    const lsp_token_t token = {(uint32_t)start, (uint32_t)(lexer.at - start), kind, is_definition(&lexer, kind, start)};
    if (!nereid_vector_push(arena, &lexer.tokens, token))
      return false;
  }
  *out = (lsp_tokens_t){lexer.tokens.data, lexer.tokens.size};
  return true;
}

size_t lsp_tokens_from(const lsp_tokens_t *tokens, size_t offset) {
  size_t low = 0, high = tokens->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (tokens->data[middle].start < offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const lsp_token_t *lsp_tokens_at(const lsp_tokens_t *tokens, size_t offset) {
  const size_t next = lsp_tokens_from(tokens, offset);
  const lsp_token_t *after = next < tokens->count && tokens->data[next].start == offset ? &tokens->data[next] : NULL;
  const lsp_token_t *before = next > 0 ? &tokens->data[next - 1] : NULL;
  if (before && before->start + before->length < offset)
    before = NULL;
  if (before && before->start + before->length > offset)
    return before;
  return after && (after->kind != LSP_TOKEN_PUNCTUATION || !before) ? after : before;
}

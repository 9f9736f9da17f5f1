#include "tools/nereid-lsp-server/text/document.h"

#include <stdlib.h>

/* Makes the concatenation of three parts the text of the document. */
static bool set_text(lsp_document_t *document, nereid_view_t before, nereid_view_t text, nereid_view_t after) {
  nereid_arena_t arena;
  lsp_lines_t lines;
  nereid_arena_initialize(&arena);
  const size_t size = before.size + text.size + after.size;
  char *copy = nereid_arena_new(&arena, char, size + 1);
  if (copy) {
    const nereid_view_t parts[] = {before, text, after};
    for (size_t i = 0, at = 0; i < sizeof parts / sizeof *parts; at += parts[i++].size)
      if (parts[i].size)
        memcpy(copy + at, parts[i].data, parts[i].size);
  }
  if (!copy || !lsp_lines_find(&arena, nereid_view_of(copy, size), &lines)) {
    nereid_arena_deinitialize(&arena);
    return false;
  }
  nereid_arena_deinitialize(&document->arena);
  document->arena = arena;
  document->text = nereid_view_of(copy, size);
  document->lines = lines;
  document->tokens = (lsp_tokens_t){NULL, 0};
  document->has_tokens = document->is_published = false;
  document->is_changed = true;
  document->fault = NULL;
  return true;
}

lsp_document_t *lsp_document_create(const char *uri, const char *language, int64_t version, nereid_view_t text) {
  lsp_document_t *document = calloc(1, sizeof *document);
  const nereid_view_t none = nereid_view_of(NULL, 0);
  if (!document)
    return NULL;
  nereid_arena_initialize(&document->arena);
  document->uri = strdup(uri);
  document->language = strdup(language);
  document->version = version;
  if (document->uri && document->language && set_text(document, none, text, none))
    return document;
  lsp_document_destroy(document);
  return NULL;
}

void lsp_document_destroy(lsp_document_t *document) {
  if (!document)
    return;
  nereid_arena_deinitialize(&document->arena);
  free(document->colors.numbers);
  free(document->uri);
  free(document->language);
  free(document);
}

bool lsp_document_edit(lsp_document_t *document, size_t start, size_t end, nereid_view_t text) {
  const nereid_view_t old = document->text;
  if (end < start) {
    const size_t swapped = start;
    start = end;
    end = swapped;
  }
  return set_text(document, nereid_view_of(old.data, start), text, nereid_view_of(old.data + end, old.size - end));
}

const lsp_tokens_t *lsp_document_tokens(lsp_document_t *document) {
  if (!document->has_tokens && document->text.size < UINT32_MAX)
    (void)lsp_tokens_find(&document->arena, document->text, &document->tokens);
  document->has_tokens = true;
  return &document->tokens;
}

/* Skips spaces and the comments of MLIR, LLVM IR and PTX. */
static nereid_view_t skip_comments(nereid_view_t text) {
  while (text.size) {
    const bool comment = text.data[0] == ';' || nereid_view_starts_with(text, nereid_view("//"));
    const char *stop = comment ? memchr(text.data, '\n', text.size) : text.data + 1;
    if (!comment && !strchr(" \t\r\n", text.data[0]))
      break;
    if (!stop)
      return nereid_view_of(text.data + text.size, 0);
    text = nereid_view_of(stop, (size_t)(text.data + text.size - stop));
  }
  return text;
}

static bool is_one_of(const char *word, const char *const *words) {
  while (*words && strcmp(word, *words) != 0)
    words++;
  return *words != NULL;
}

bool lsp_document_is_mlir(const lsp_document_t *document) {
  static const char bytecode[] = {'M', 'L', '\xEF', 'R', 0}, bitcode[] = {'B', 'C', '\xC0', '\xDE', 0};
  static const char elf[] = {'\x7F', 'E', 'L', 'F', 0};
  static const char *const languages[] = {"mlir", "ttir", "ttgir", "nereid", NULL};
  static const char *const extensions[] = {"mlir", "ttir", "ttgir", "llvm", NULL};
  static const char *const others[] = {".version", ".target", ".entry",   ".visible", ".extern", "source_filename",
                                       "target ",  "define ", "declare ", bytecode,   bitcode,   elf};
  const char *dot = strrchr(document->uri, '.');
  if (!is_one_of(document->language, languages) && !(dot && is_one_of(dot + 1, extensions)))
    return false;
  const nereid_view_t text = skip_comments(document->text);
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
    if (nereid_view_starts_with(text, nereid_view(others[i])))
      return false;
  return true;
}

/* nereid store export, import: units of a folder in one file.
 *
 *   unit unit unit …     each as in its file (docs/store.md): its header has its size, key and checksum
 *
 * An import checks each unit before it stores it. Behind a damaged size the next unit cannot be found: the import ends
 * there, with the units before it stored. */
#include "tools/nereid/store/store.h"

#include "base/file.h"
#include "python-free-bindings/launch/store/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Writes one unit; damaged ones are skipped with an error. */
static bool export_unit(const tool_store_t *request, const nereid_store_key_t *key, FILE *out, size_t *n_skipped) {
  nereid_message_t message = {""};
  nereid_store_unit_t *unit;
  char text[NEREID_STORE_KEY_LETTERS + 1];
  if (nereid_store_inspect(request->store, key, &unit, &message)) {
    nereid_store_key_print(key, text);
    tool_error(&tool_command_store, "the unit %s is skipped: %s", text, message.text);
    ++*n_skipped;
    return true;
  }
  const bool done = fwrite(unit->bytes, 1, unit->size, out) == unit->size;
  nereid_store_unit_destroy(unit);
  return done;
}

static bool export_units(const tool_store_t *request, const tool_store_keys_t *keys, FILE *out, size_t *n_skipped) {
  bool done = true;
  for (size_t i = 0; i < keys->size && done; ++i)
    done = export_unit(request, &keys->data[i].key, out, n_skipped);
  return done;
}

static bool export_to(const tool_store_t *request, const tool_store_keys_t *keys, const char *path, size_t *n_skipped) {
  FILE *out = fopen(path, "we");
  const bool done = out && export_units(request, keys, out, n_skipped);
  return out && fclose(out) == 0 && done;
}

/* Writes aside and renames, so that a failure leaves no partial archive. */
int tool_store_export(const tool_store_t *request) {
  tool_store_keys_t keys;
  size_t n_skipped = 0;
  int code = tool_store_select(request, &keys);
  if (code != TOOL_CONTINUE)
    return code;
  if (!request->output) {
    tool_error(&tool_command_store, "export: expected -o FILE, or -o - for standard output");
    return TOOL_CALL;
  }
  const bool in_place = nereid_file_is_in_place(request->output);
  const char *aside = nereid_arena_format(request->arena, "%s.%ld.tmp", request->output, (long)getpid());
  bool done;
  if (strcmp(request->output, "-") == 0)
    done = export_units(request, &keys, stdout, &n_skipped) && fflush(stdout) == 0;
  else
    done = aside && export_to(request, &keys, in_place ? request->output : aside, &n_skipped) &&
           (in_place || rename(aside, request->output) == 0);
  if (!done)
    tool_error(&tool_command_store, "cannot write '%s': %s", request->output, strerror(errno));
  if (!done && aside)
    unlink(aside);
  return done && !n_skipped ? TOOL_DONE : TOOL_CALL;
}

/* The progress of an import. */
typedef struct import {
  size_t n_units, n_damaged;
} import_t;

/* Stores the unit of `bytes`. TOOL_CONTINUE also after a damaged one. */
static int import_unit(const tool_store_t *request, nereid_view_t bytes, import_t *import) {
  nereid_store_key_t key;
  nereid_store_content_t content;
  nereid_message_t message = {""};
  nereid_unit_key((const uint8_t *)bytes.data, &key);
  if (nereid_unit_decode(&key, bytes, &content, &message)) {
    tool_error(&tool_command_store, "unit %zu of the archive is %s", import->n_units + import->n_damaged + 1,
               message.text);
    ++import->n_damaged;
    return TOOL_CONTINUE;
  }
  const nereid_status_t status = nereid_store_put(request->store, &key, &content, &message);
  if (status)
    return tool_failed(&tool_command_store, status, &message);
  ++import->n_units;
  return TOOL_CONTINUE;
}

/* Reads exactly `size` bytes, or less at the end of the file. */
static size_t read_part(FILE *in, char *to, size_t size) {
  return fread(to, 1, size, in);
}

static int import_all(const tool_store_t *request, FILE *in, import_t *import) {
  uint8_t header[NEREID_UNIT_HEADER];
  int code = TOOL_CONTINUE;
  for (size_t n; code == TOOL_CONTINUE && (n = read_part(in, (char *)header, sizeof header)) > 0;) {
    const uint64_t size = n == sizeof header ? nereid_unit_size(header) : 0;
    char *bytes = size ? malloc((size_t)size) : NULL;
    if (!bytes || read_part(in, bytes + sizeof header, (size_t)size - sizeof header) != size - sizeof header) {
      free(bytes);
      tool_error(&tool_command_store, "the archive is damaged after %zu units: %s", import->n_units + import->n_damaged,
                 size ? "it is truncated" : "expected the beginning of a unit");
      ++import->n_damaged;
      return TOOL_CONTINUE;
    }
    memcpy(bytes, header, sizeof header);
    code = import_unit(request, nereid_view_of(bytes, (size_t)size), import);
    free(bytes);
  }
  return code;
}

/* Reads an archive, and reports a failed read. */
static int import_from(const tool_store_t *request, const char *path, FILE *in, import_t *import) {
  const int code = import_all(request, in, import);
  if (code != TOOL_CONTINUE || !ferror(in))
    return code;
  tool_error(&tool_command_store, "cannot read '%s': %s", path, strerror(errno));
  return TOOL_CALL;
}

static int import_file(const tool_store_t *request, const char *path, import_t *import) {
  FILE *in = fopen(path, "re");
  if (!in) {
    tool_error(&tool_command_store, "cannot open '%s': %s", path, strerror(errno));
    return TOOL_CALL;
  }
  const int code = import_from(request, path, in, import);
  fclose(in);
  return code;
}

int tool_store_import(const tool_store_t *request) {
  import_t import = {.n_units = 0};
  if (request->operands.size != 1) {
    tool_error(&tool_command_store, "import: expected one archive, or - for standard input");
    return TOOL_CALL;
  }
  const char *path = request->operands.items[0];
  const int code =
      strcmp(path, "-") == 0 ? import_from(request, path, stdin, &import) : import_file(request, path, &import);
  printf("imported %zu units, %zu damaged\n", import.n_units, import.n_damaged);
  return code != TOOL_CONTINUE ? code : import.n_damaged ? TOOL_CALL : TOOL_DONE;
}

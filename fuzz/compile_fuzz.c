/* libFuzzer: for any text, a compilation ends with a result, or with a status and a diagnostic, and the session
 * remains usable. A second compilation gives the same bytes. Bitcode is excluded, since LLVM has its own fuzzers for
 * it. */
#include "nereid/compile.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void count(void *user_data, const nereid_diagnostic_t *diagnostic) {
  *(unsigned *)user_data += diagnostic->severity == NEREID_SEVERITY_ERROR;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static unsigned errors;
  static nereid_compiler_t *compiler;
  const nereid_compiler_options_t session = {.size = sizeof session, .handler = count, .user_data = &errors};
  const nereid_compile_options_t options = {.size = sizeof options, .emit = NEREID_STAGE_PTX, .dumps = true};
  nereid_result_t *first = NULL, *second = NULL;
  if (size < 4 || memcmp(bytes, "BC", 2) == 0 || memcmp(bytes, "\xDE\xC0\x17\x0B", 4) == 0)
    return 0;
  if (!compiler && nereid_compiler_create(&session, &compiler) != NEREID_OK)
    abort();
  nereid_view_t text = nereid_view_of((const char *)bytes, size);
  errors = 0;
  nereid_status_t status = nereid_compile(compiler, text, "fuzz", &options, &first);
  if ((status == NEREID_OK) != (first != NULL) || (status != NEREID_OK && !errors))
    abort();
  if (first && (nereid_compile(compiler, text, "fuzz", &options, &second) != NEREID_OK ||
                !nereid_view_equal(nereid_result_bytes(first), nereid_result_bytes(second))))
    abort();
  nereid_result_destroy(first);
  nereid_result_destroy(second);
  return 0;
}

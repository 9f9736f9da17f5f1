/* libFuzzer: the PTX emulator decodes any text or rejects it with a message, without a sanitizer finding.
 *
 *   build/fuzz/fuzz/launch_ptx_fuzz CORPUS fuzz/ptx -dict=fuzz/ptx.dict -max_total_time=600 */
#include "nereid/emulator.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  nereid_emulator_program_t *program = NULL;
  nereid_message_t message = {""};
  if (nereid_emulator_load(nereid_view_of((const char *)data, size), "fuzz.ptx", &program, &message) == NEREID_OK)
    nereid_emulator_unload(program);
  else if (!message.text[0])
    abort(); /* a rejection has a message */
  return 0;
}

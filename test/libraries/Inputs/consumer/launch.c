/* The launch half alone: nothing of MLIR is found by its headers or needed by its library. */
#include <base/status.h>
#include <nereid/metadata.h>

#include <stdio.h>

int main(void) {
  puts(nereid_status_string(NEREID_OK));
  return 0;
}

/* The launch library alone: neither its headers nor its library depend on MLIR. */
#include <base/status.h>
#include <nereid/metadata.h>

#include <stdio.h>

int main(void) {
  puts(nereid_status_string(NEREID_OK));
  return 0;
}

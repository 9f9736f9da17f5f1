/* Names of statuses, in the order of the enum. */
#include "base/status.h"

const char *nereid_status_string(nereid_status_t status) {
  switch (status) {
  case NEREID_OK:
    return "ok";
  case NEREID_ERROR_PROGRAM:
    return "the program is wrong";
  case NEREID_ERROR_ARGUMENT:
    return "invalid argument";
  case NEREID_ERROR_MEMORY:
    return "out of memory";
  case NEREID_ERROR_IO:
    return "input or output failed";
  case NEREID_ERROR_NOT_FOUND:
    return "not found";
  case NEREID_ERROR_UNSUPPORTED:
    return "not supported";
  case NEREID_ERROR_DEVICE:
    return "device failure";
  case NEREID_ERROR_TOOL:
    return "assembler failure";
  case NEREID_ERROR_INTERNAL:
    return "internal error";
  case NEREID_ERROR_CANCELLED:
    return "cancelled";
  case NEREID_ERROR_TIMEOUT:
    return "time limit exceeded";
  }
  return "unknown status";
}

/* Opens libcuda.so.1 with dlopen and maps its errors to statuses. */
#include "python-free-bindings/launch/driver.h"

#include <dlfcn.h>

enum { OPTIONAL = 0, NEEDED = 1 };

typedef struct row {
  const char *symbol;
  size_t offset; /* offset of the function pointer in nereid_driver_t */
  int need;
} row_t;

static const row_t rows[] = {
#define NEREID_DRIVER_ENTRY(need, field, symbol, parameters) {symbol, offsetof(nereid_driver_t, field), need},
#include "python-free-bindings/launch/driver_entries.inc"
#undef NEREID_DRIVER_ENTRY
};

static nereid_status_t fill(nereid_driver_t *driver, nereid_message_t *message) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    void *entry = dlsym(driver->library, rows[i].symbol);
    if (!entry && rows[i].need == NEEDED)
      return nereid_message_set(message, NEREID_ERROR_UNSUPPORTED,
                                "the CUDA driver has no %s; expected a driver for CUDA 11.8 or later", rows[i].symbol);
    memcpy((char *)driver + rows[i].offset, &entry, sizeof entry);
  }
  return NEREID_OK;
}

nereid_status_t nereid_driver_open(const char *library, nereid_driver_t *out_driver, nereid_message_t *message) {
  *out_driver = (nereid_driver_t){0};
  /* the driver starts threads, so it must not be unmapped */
  out_driver->library = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!out_driver->library)
    return nereid_message_set(message, NEREID_ERROR_NOT_FOUND,
                              "no GPU driver: %s cannot be opened; install NVIDIA's driver", library);
  nereid_status_t status = fill(out_driver, message);
  if (!status && out_driver->init)
    status = nereid_driver_check(out_driver, out_driver->init(0), "cuInit", message);
  if (status)
    nereid_driver_close(out_driver);
  return status;
}

void nereid_driver_close(nereid_driver_t *driver) {
  if (driver->library)
    dlclose(driver->library);
  driver->library = NULL;
}

static nereid_status_t status_of(nereid_cu_result_t result) {
  switch (result) {
  case NEREID_CU_OUT_OF_MEMORY:
    return NEREID_ERROR_MEMORY;
  case NEREID_CU_NO_DEVICE:
  case NEREID_CU_INVALID_DEVICE:
  case NEREID_CU_NOT_FOUND:
    return NEREID_ERROR_NOT_FOUND;
  case NEREID_CU_NO_BINARY_FOR_GPU:
  case NEREID_CU_UNSUPPORTED_PTX_VERSION:
    return NEREID_ERROR_UNSUPPORTED;
  default:
    return NEREID_ERROR_DEVICE;
  }
}

nereid_status_t nereid_driver_check(const nereid_driver_t *driver, nereid_cu_result_t result, const char *what,
                                    nereid_message_t *message) {
  const char *name = NULL, *text = NULL;
  if (result == 0)
    return NEREID_OK;
  if (driver->get_error_name(result, &name) || !name)
    name = "an unknown error";
  if (driver->get_error_string(result, &text) || !text)
    text = "no description";
  return nereid_message_set(message, status_of(result), "%s: %s (%d): %s", what, name, result, text);
}

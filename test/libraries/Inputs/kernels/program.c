/* Prints what the kernels of the library store: C11 and C++17. */
#include "fills.h"

#include <stdio.h>

int main(void) {
  enum { COUNT = 100 };
  static int32_t host[COUNT + 1];
  static nereid_message_t message;
  nereid_device_t *device = NULL;
  nereid_library_t *library = NULL;
  uint64_t out = 0;
  nereid_status_t status = nereid_device_open_named("emulator", &device, &message);
  if (!status)
    status = fills_open(device, &library, &message);
  if (!status)
    status = nereid_device_allocate(device, sizeof host, &out, &message);
  if (!status)
    status = fills_fill(library, NULL, out, COUNT, &message);
  if (!status)
    status = fills_fill_wide(library, NULL, out, COUNT / 2, &message);
  if (!status)
    status = nereid_device_download(device, host, out, sizeof host, &message);
  if (status)
    printf("%s\n", message.text);
  printf("%d %d %d\n", (int)host[0], (int)host[COUNT - 1], (int)host[COUNT]);
  nereid_device_free(device, out);
  nereid_library_close(library);
  nereid_device_close(device);
  return status != NEREID_OK;
}

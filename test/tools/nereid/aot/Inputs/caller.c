/* Calls all functions of the library k on a device: C11 and C++17. */
#include "k.h"

#include <stdio.h>

enum { COUNT = 1000, ROWS = 40, COLUMNS = 32 };

static nereid_message_t message;
static int failures;

static bool is_good(nereid_status_t status, const char *call) {
  if (status == NEREID_OK)
    return true;
  printf("%s: %s: %s\n", call, nereid_status_string(status), message.text);
  ++failures;
  return false;
}

#define GOOD(call) is_good(call, #call)

static void test_axpy(nereid_device_t *device, nereid_library_t *k) {
  static float x[COUNT], y[COUNT];
  uint64_t dx = 0, dy = 0;
  int wrong = 0;
  for (int i = 0; i < COUNT; ++i)
    x[i] = (float)i, y[i] = 1;
  if (!GOOD(nereid_device_allocate(device, sizeof x, &dx, &message)) ||
      !GOOD(nereid_device_allocate(device, sizeof y, &dy, &message)) ||
      !GOOD(nereid_device_upload(device, dx, x, sizeof x, &message)) ||
      !GOOD(nereid_device_upload(device, dy, y, sizeof y, &message)))
    return;
  GOOD(k_axpy(k, NULL, dx, dy, 2, 992, &message)); /* a multiple of 16: the first configuration */
  GOOD(k_axpy(k, NULL, dx, dy, 2, 995, &message)); /* the second one */
  GOOD(k_axpy_general(k, NULL, dx, dy, 2, 999, &message));
  GOOD(nereid_device_download(device, y, dy, sizeof y, &message));
  for (int i = 0; i < COUNT; ++i)
    wrong += y[i] != 1 + 2 * (float)i * (float)((i < 992) + (i < 995) + (i < 999));
  printf("axpy: %d wrong\n", wrong);
  if (k_axpy_aligned(k, NULL, dx, dy, 2, 995, &message))
    printf("aligned: %s\n", message.text);
  if (k_axpy(k, NULL, dx + 4, dy, 2, 992, &message))
    printf("axpy: %s\n", message.text);
  nereid_device_free(device, dx);
  nereid_device_free(device, dy);
}

static void test_twice(nereid_device_t *device, nereid_library_t *k) {
  static float host[ROWS * COLUMNS];
  static nereid_tensor_t from, to;
  static nereid_launch_t launch;
  int wrong = 0;
  for (int i = 0; i < ROWS * COLUMNS; ++i)
    host[i] = (float)i;
  from.rank = 2;
  from.shape[0] = ROWS;
  from.shape[1] = COLUMNS;
  to = from;
  launch.grid[0] = (ROWS + 15) / 16;
  launch.grid[1] = launch.grid[2] = 1;
  if (!GOOD(nereid_device_allocate(device, sizeof host, &from.address, &message)) ||
      !GOOD(nereid_device_allocate(device, sizeof host, &to.address, &message)) ||
      !GOOD(nereid_device_upload(device, from.address, host, sizeof host, &message)) ||
      !GOOD(k_twice(k, &launch, &from, &to, &message)) ||
      !GOOD(nereid_device_download(device, host, to.address, sizeof host, &message)))
    return;
  for (int i = 0; i < ROWS * COLUMNS; ++i)
    wrong += host[i] != 2 * (float)i;
  printf("twice: %d wrong\n", wrong);
  if (k_twice(k, NULL, &from, &to, &message))
    printf("twice: %s\n", message.text);
  nereid_device_free(device, from.address);
  nereid_device_free(device, to.address);
}

static void test_count(nereid_device_t *device, nereid_library_t *k) {
  int32_t counter = 0;
  uint64_t address = 0;
  if (GOOD(nereid_device_allocate(device, 4, &address, &message)) &&
      GOOD(nereid_device_upload(device, address, &counter, 4, &message)) &&
      GOOD(k_count(k, NULL, address, true, 4, 0x4000, &message)) && /* 2.0 as an f16 */
      GOOD(k_count(k, NULL, address, false, 4, 0x4000, &message)) &&
      GOOD(nereid_device_download(device, &counter, address, 4, &message)))
    printf("count: %d\n", (int)counter); /* three programs, (1 + 4) * 2 each */
  nereid_device_free(device, address);
}

int main(int argc, char **argv) {
  nereid_device_t *device = NULL;
  nereid_library_t *k = NULL;
  if (!GOOD(nereid_device_open_named(argc > 1 ? argv[1] : "emulator", &device, &message)))
    return 1;
  if (GOOD(k_open(device, &k, &message))) {
    test_axpy(device, k);
    test_twice(device, k);
    test_count(device, k);
  }
  nereid_library_close(k);
  nereid_device_close(device);
  return failures ? 1 : 0;
}

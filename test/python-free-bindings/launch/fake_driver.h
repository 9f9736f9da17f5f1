/* A fake CUDA driver that only records its calls, so that launches can be checked without a GPU. Static definitions: a
 * test is one file and includes this once. */
#ifndef NEREID_TEST_FAKE_DRIVER_H
#define NEREID_TEST_FAKE_DRIVER_H

#include "python-free-bindings/launch/driver.h"

#include <stdio.h>

enum { FAKE_PARAMETERS = 32, FAKE_ATTRIBUTES = 4, FAKE_FUNCTION_ATTRIBUTES = 8 };

typedef struct fake {
  /* Simulated properties. */
  int device_count, capability, shared_limit, clusters, cooperative, pools, static_shared;
  void *current;    /* the thread's context */
  const char *fail; /* the entry that fails; null: none */
  nereid_cu_result_t fail_with;
  size_t n_parameters, descriptor_at, sizes[FAKE_PARAMETERS]; /* parameters of the kernel, so that they can be copied */

  /* Recorded calls. */
  nereid_cu_launch_config_t config;
  nereid_cu_launch_attribute_t attributes[FAKE_ATTRIBUTES];
  uint64_t parameters[FAKE_PARAMETERS]; /* up to 8 bytes of each */
  unsigned char descriptor[128];        /* the parameter at descriptor_at */
  int launches, retained, released, pushed, popped, loaded, unloaded;
  int allocations, frees, async_allocations, async_frees, encodings;
  size_t allocated_bytes;
  int function_attributes[FAKE_FUNCTION_ATTRIBUTES][2], n_function_attributes;
  int map_element, map_swizzle, map_fill;
  uint32_t map_rank, map_box[5];
  uint64_t map_shape[5], map_strides[5];
  char image[64], kernel[64];
  int capturing; /* simulated: launches are recorded in a graph */
  int n_objects; /* objects of the graph, which fake_destroy_graph destroys */
  struct {
    void *data;
    void (*destructor)(void *data);
  } objects[FAKE_PARAMETERS];
  char order[64]; /* a letter per launch; tests add their own */
} fake_t;

static fake_t fake;

#define FAKE_MAY_FAIL(entry)                                                                                           \
  do {                                                                                                                 \
    if (fake.fail && strcmp(fake.fail, entry) == 0)                                                                    \
      return fake.fail_with;                                                                                           \
  } while (0)

static inline void fake_note(char letter) {
  size_t n = strlen(fake.order);
  if (n + 1 < sizeof fake.order)
    fake.order[n] = letter;
}

static nereid_cu_result_t fake_version(int *version) {
  *version = 13000;
  return 0;
}

static nereid_cu_result_t fake_error_name(nereid_cu_result_t error, const char **name) {
  (void)error;
  *name = "FAKE_ERROR";
  return 0;
}

static nereid_cu_result_t fake_error_string(nereid_cu_result_t error, const char **text) {
  (void)error;
  *text = "made up";
  return 0;
}

static nereid_cu_result_t fake_count(int *count) {
  *count = fake.device_count;
  return 0;
}

static nereid_cu_result_t fake_get(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}

static nereid_cu_result_t fake_name(char *name, int room, int device) {
  (void)device;
  snprintf(name, (size_t)room, "Fake");
  return 0;
}

static nereid_cu_result_t fake_attribute(int *value, int attribute, int device) {
  (void)device;
  switch (attribute) {
  case NEREID_CU_DEVICE_CAPABILITY_MAJOR:
    *value = fake.capability / 10;
    break;
  case NEREID_CU_DEVICE_CAPABILITY_MINOR:
    *value = fake.capability % 10;
    break;
  case NEREID_CU_DEVICE_SHARED_OPTIN:
    *value = fake.shared_limit;
    break;
  case NEREID_CU_DEVICE_CLUSTER_LAUNCH:
    *value = fake.clusters;
    break;
  case NEREID_CU_DEVICE_COOPERATIVE_LAUNCH:
    *value = fake.cooperative;
    break;
  case NEREID_CU_DEVICE_MEMORY_POOLS:
    *value = fake.pools;
    break;
  default:
    *value = 1;
  }
  return 0;
}

static nereid_cu_result_t fake_total(size_t *bytes, int device) {
  (void)device;
  *bytes = 1 << 30;
  return 0;
}

static nereid_cu_result_t fake_retain(void **context, int device) {
  (void)device;
  ++fake.retained;
  *context = (void *)0x11;
  return 0;
}

static nereid_cu_result_t fake_release(int device) {
  (void)device;
  ++fake.released;
  return 0;
}

static nereid_cu_result_t fake_current(void **context) {
  *context = fake.current;
  return 0;
}

static nereid_cu_result_t fake_current_device(int *device) {
  *device = 0;
  return 0;
}

static void *fake_below; /* the context under the pushed one */

static nereid_cu_result_t fake_push(void *context) {
  fake_below = fake.current;
  fake.current = context;
  ++fake.pushed;
  return 0;
}

static nereid_cu_result_t fake_pop(void **context) {
  *context = fake.current;
  fake.current = fake_below;
  ++fake.popped;
  return 0;
}

static nereid_cu_result_t fake_synchronize(void) {
  return 0;
}

static nereid_cu_result_t fake_stream_synchronize(void *stream) {
  (void)stream;
  fake_note('w');
  return 0;
}

static nereid_cu_result_t fake_load(void **module, const void *image, unsigned n_options, int *options, void **values) {
  (void)n_options, (void)options, (void)values;
  FAKE_MAY_FAIL("module_load_data_ex");
  snprintf(fake.image, sizeof fake.image, "%s", (const char *)image);
  *module = (void *)0x22;
  ++fake.loaded;
  return 0;
}

static nereid_cu_result_t fake_unload(void *module) {
  (void)module;
  ++fake.unloaded;
  return 0;
}

static nereid_cu_result_t fake_function(void **function, void *module, const char *name) {
  (void)module;
  FAKE_MAY_FAIL("module_get_function");
  snprintf(fake.kernel, sizeof fake.kernel, "%s", name);
  *function = (void *)0x33;
  fake.n_function_attributes = 0;
  return 0;
}

static nereid_cu_result_t fake_get_attribute(int *value, int attribute, void *function) {
  (void)function;
  *value = attribute == NEREID_CU_FUNC_SHARED_SIZE ? fake.static_shared : 1;
  return 0;
}

static nereid_cu_result_t fake_set_attribute(void *function, int attribute, int value) {
  (void)function;
  if (fake.n_function_attributes < FAKE_FUNCTION_ATTRIBUTES) {
    fake.function_attributes[fake.n_function_attributes][0] = attribute;
    fake.function_attributes[fake.n_function_attributes++][1] = value;
  }
  return 0;
}

static nereid_cu_result_t fake_launch(const nereid_cu_launch_config_t *config, void *function, void **parameters,
                                      void **extra) {
  (void)function, (void)extra;
  FAKE_MAY_FAIL("launch_kernel_ex");
  fake.config = *config;
  for (unsigned i = 0; i < config->n_attributes && i < FAKE_ATTRIBUTES; ++i)
    fake.attributes[i] = config->attributes[i];
  memset(fake.parameters, 0, sizeof fake.parameters);
  for (size_t i = 0; i < fake.n_parameters; ++i)
    memcpy(i == fake.descriptor_at ? (void *)fake.descriptor : &fake.parameters[i], parameters[i], fake.sizes[i]);
  ++fake.launches;
  fake_note('L');
  return 0;
}

static nereid_cu_result_t fake_alloc(uint64_t *address, size_t bytes) {
  FAKE_MAY_FAIL("mem_alloc");
  fake.allocated_bytes = bytes;
  *address = 0x10020; /* aligned to 32 only, so that callers have to align */
  ++fake.allocations;
  return 0;
}

static nereid_cu_result_t fake_free(uint64_t address) {
  (void)address;
  ++fake.frees;
  return 0;
}

static nereid_cu_result_t fake_alloc_async(uint64_t *address, size_t bytes, void *stream) {
  (void)stream;
  fake.allocated_bytes = bytes;
  *address = 0x20020;
  ++fake.async_allocations;
  return 0;
}

static nereid_cu_result_t fake_free_async(uint64_t address, void *stream) {
  (void)address, (void)stream;
  ++fake.async_frees;
  return 0;
}

static nereid_cu_result_t fake_copy_in(uint64_t address, const void *host, size_t bytes) {
  (void)address, (void)host, (void)bytes;
  fake_note('c');
  return 0;
}

static nereid_cu_result_t fake_encode(void *map, int element, uint32_t rank, void *address, const uint64_t *shape,
                                      const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                                      int interleave, int swizzle, int promotion, int fill) {
  (void)map, (void)address, (void)steps, (void)interleave, (void)promotion;
  FAKE_MAY_FAIL("tensor_map_encode_tiled");
  ++fake.encodings;
  fake.map_element = element;
  fake.map_rank = rank;
  fake.map_swizzle = swizzle;
  fake.map_fill = fill;
  memcpy(fake.map_shape, shape, rank * sizeof *shape);
  memcpy(fake.map_box, box, rank * sizeof *box);
  memcpy(fake.map_strides, strides, (rank - 1) * sizeof *strides);
  return 0;
}

static nereid_cu_result_t fake_capture_info(void *stream, int *status, uint64_t *id, void **graph,
                                            const void **dependencies, size_t *n) {
  (void)stream, (void)dependencies, (void)n;
  *status = fake.capturing;
  *id = 1;
  if (fake.capturing)
    *graph = &fake;
  return 0;
}

static nereid_cu_result_t fake_object_create(void **object, void *data, void (*destructor)(void *data),
                                             unsigned references, unsigned flags) {
  (void)references, (void)flags;
  FAKE_MAY_FAIL("user_object_create");
  if (fake.n_objects == FAKE_PARAMETERS)
    return NEREID_CU_OUT_OF_MEMORY;
  fake.objects[fake.n_objects].data = data;
  fake.objects[fake.n_objects].destructor = destructor;
  *object = &fake.objects[fake.n_objects++];
  return 0;
}

static nereid_cu_result_t fake_object_release(void *object, unsigned references) {
  (void)object, (void)references;
  --fake.n_objects; /* the last one */
  fake.objects[fake.n_objects].destructor(fake.objects[fake.n_objects].data);
  return 0;
}

static nereid_cu_result_t fake_graph_retain(void *graph, void *object, unsigned references, unsigned flags) {
  (void)graph, (void)object, (void)references, (void)flags;
  FAKE_MAY_FAIL("graph_retain_user_object");
  return 0;
}

static inline void fake_destroy_graph(void) {
  for (int i = 0; i < fake.n_objects; ++i)
    fake.objects[i].destructor(fake.objects[i].data);
  fake.n_objects = 0;
}

/* A GPU of capability 90, one device, nothing current. */
static void fake_reset(void) {
  fake = (fake_t){
      .device_count = 1, .capability = 90, .shared_limit = 232448, .clusters = 1, .cooperative = 1, .pools = 1};
}

/* Entries that no test calls are null: a call crashes instead of succeeding silently. */
static const nereid_driver_t *fake_driver(void) {
  static const nereid_driver_t table = {
      .driver_get_version = fake_version,
      .get_error_name = fake_error_name,
      .get_error_string = fake_error_string,
      .device_get_count = fake_count,
      .device_get = fake_get,
      .device_get_name = fake_name,
      .device_get_attribute = fake_attribute,
      .device_total_mem = fake_total,
      .device_primary_ctx_retain = fake_retain,
      .device_primary_ctx_release = fake_release,
      .ctx_get_current = fake_current,
      .ctx_get_device = fake_current_device,
      .ctx_push_current = fake_push,
      .ctx_pop_current = fake_pop,
      .ctx_synchronize = fake_synchronize,
      .stream_synchronize = fake_stream_synchronize,
      .module_load_data_ex = fake_load,
      .module_unload = fake_unload,
      .module_get_function = fake_function,
      .func_get_attribute = fake_get_attribute,
      .func_set_attribute = fake_set_attribute,
      .launch_kernel_ex = fake_launch,
      .mem_alloc = fake_alloc,
      .mem_free = fake_free,
      .mem_alloc_async = fake_alloc_async,
      .mem_free_async = fake_free_async,
      .memcpy_htod = fake_copy_in,
      .tensor_map_encode_tiled = fake_encode,
      .stream_get_capture_info = fake_capture_info,
      .user_object_create = fake_object_create,
      .user_object_release = fake_object_release,
      .graph_retain_user_object = fake_graph_retain,
  };
  return &table;
}

#endif

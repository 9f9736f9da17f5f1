/* Launches a kernel: checks the arguments, collects their addresses, calls the driver.
 *
 *   parameters   &argument 0 ... &argument n-1, &global scratch, &profile scratch        (docs/abi.md)
 *
 * This path runs often. State that does not depend on the arguments is computed when the module is loaded. The only
 * allocation is scratch memory that the kernel requires and the caller does not pass. */
#include "python-free-bindings/launch/kernel.h"

static nereid_status_t wrong_argument(const nereid_kernel_t *kernel, size_t i, const char *problem,
                                      nereid_message_t *message) {
  const char *name = kernel->metadata.parameters[i].name;
  return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "argument %zu%s%s%s of kernel '%s' %s", i, name ? " '" : "",
                            name ? name : "", name ? "'" : "", kernel->metadata.name, problem);
}

static nereid_status_t wrong_type(const nereid_kernel_t *kernel, size_t i, const nereid_value_t *value,
                                  nereid_message_t *message) {
  static const char *const kinds[] = {"a scalar", "a pointer", "a descriptor", "opaque"};
  nereid_message_t problem;
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  const char *wanted = nereid_parameter_type_print(&arena, &kernel->metadata.parameters[i]);
  nereid_message_set(&problem, NEREID_OK, "must be %s (%u bytes), not %s of type %s", wanted ? wanted : "another type",
                     kernel->metadata.parameters[i].size, kinds[(unsigned)value->kind & 3],
                     nereid_element_name(value->element));
  nereid_arena_deinitialize(&arena);
  return wrong_argument(kernel, i, problem.text, message);
}

static nereid_status_t wrong_divisor(const nereid_kernel_t *kernel, size_t i, const nereid_value_t *value,
                                     nereid_message_t *message) {
  nereid_message_t problem;
  nereid_message_set(&problem, NEREID_OK, "is %llu; the kernel was compiled for multiples of %u",
                     (unsigned long long)value->as.bits, kernel->metadata.parameters[i].divisibility);
  return wrong_argument(kernel, i, problem.text, message);
}

static bool type_fits(const nereid_parameter_t *parameter, const nereid_value_t *value) {
  switch (parameter->kind) {
  case NEREID_PARAMETER_SCALAR:
    return value->kind == NEREID_PARAMETER_SCALAR && value->element == parameter->element;
  case NEREID_PARAMETER_POINTER:
    return value->kind == NEREID_PARAMETER_POINTER &&
           (!value->element || !parameter->element || value->element == parameter->element);
  case NEREID_PARAMETER_DESCRIPTOR:
    return value->kind == NEREID_PARAMETER_DESCRIPTOR && value->as.memory;
  case NEREID_PARAMETER_OPAQUE:
    if (value->kind == NEREID_PARAMETER_POINTER)
      return parameter->size == 8;
    return value->kind == NEREID_PARAMETER_SCALAR && nereid_element_size(value->element) == parameter->size;
  }
  return false;
}

static nereid_status_t check_grid(const nereid_kernel_t *kernel, const nereid_launch_t *launch,
                                  nereid_message_t *message) {
  uint64_t x = (uint64_t)launch->grid[0] * (uint64_t)kernel->metadata.num_ctas;
  if (x > INT32_MAX)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "grid x is %llu CTAs; the limit is 2^31 - 1",
                              (unsigned long long)x);
  if (launch->grid[1] > 65535 || launch->grid[2] > 65535)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "grid y is %u and grid z %u; the limit is 65535",
                              launch->grid[1], launch->grid[2]);
  return NEREID_OK;
}

/* One scratch area: the caller's, none, or one allocated here and freed after the launch. */
typedef struct scratch {
  uint64_t base;      /* the address that the kernel receives */
  uint64_t allocated; /* the address to free; 0: none */
} scratch_t;

static nereid_status_t take_scratch(const nereid_kernel_t *kernel, const nereid_launch_t *launch, uint64_t given,
                                    uint64_t size, uint64_t align, scratch_t *scratch, nereid_message_t *message) {
  *scratch = (scratch_t){given, 0};
  if (given & (align - 1))
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "scratch at 0x%llx is not aligned to %llu bytes",
                              (unsigned long long)given, (unsigned long long)align);
  if (given || size == 0)
    return NEREID_OK;
  /* With 2^31 * 2^16 * 2^16 CTAs of up to 2^53 bytes the product can overflow, so divide instead. */
  uint64_t ctas = (uint64_t)launch->grid[0] * (uint64_t)kernel->metadata.num_ctas;
  uint64_t planes = (uint64_t)launch->grid[1] * launch->grid[2];
  if (ctas > (UINT64_C(1) << 62) / planes || size > ((UINT64_C(1) << 62) - align) / (ctas * planes))
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "scratch for the whole grid exceeds 2^62 bytes");
  size_t bytes = (size_t)(ctas * planes * size + align - 1);
  const nereid_driver_t *driver = kernel->device->driver;
  nereid_cu_result_t result = kernel->device->info.pools
                                  ? driver->mem_alloc_async(&scratch->allocated, bytes, launch->stream)
                                  : driver->mem_alloc(&scratch->allocated, bytes);
  scratch->base = (scratch->allocated + align - 1) & ~(align - 1);
  return nereid_driver_check(driver, result, "allocating scratch memory", message);
}

/* Without stream-ordered allocation the kernel must complete first; freeing waits for the device anyway. */
static void give_back(const nereid_kernel_t *kernel, const nereid_launch_t *launch, const scratch_t *scratch) {
  if (!scratch->allocated)
    return;
  if (kernel->device->info.pools)
    kernel->device->driver->mem_free_async(scratch->allocated, launch->stream);
  else
    kernel->device->driver->mem_free(scratch->allocated);
}

static nereid_status_t launch_now(const nereid_kernel_t *kernel, const nereid_launch_t *launch, void **parameters,
                                  nereid_message_t *message) {
  nereid_cu_launch_config_t config = {
      .grid_x = launch->grid[0] * (unsigned)kernel->metadata.num_ctas,
      .grid_y = launch->grid[1],
      .grid_z = launch->grid[2],
      .block_x = kernel->block[0],
      .block_y = kernel->block[1],
      .block_z = kernel->block[2],
      .shared = (unsigned)kernel->metadata.shared,
      .stream = launch->stream,
      .attributes = (nereid_cu_launch_attribute_t *)kernel->attributes,
      .n_attributes = kernel->n_attributes,
  };
  const nereid_driver_t *driver = kernel->device->driver;
  nereid_cu_result_t result = driver->launch_kernel_ex(&config, kernel->function, parameters, NULL);
  if (result == 0)
    return NEREID_OK;
  return nereid_driver_check(driver, result, "launching the kernel", message);
}

/* `parameters` has room for the two scratch pointers after the kernel's own. */
static nereid_status_t launch_parameters(const nereid_kernel_t *kernel, const nereid_launch_t *launch,
                                         void **parameters, nereid_message_t *message) {
  const nereid_metadata_t *metadata = &kernel->metadata;
  size_t n = metadata->n_parameters;
  scratch_t global = {0}, profile = {0};
  bool pushed;
  nereid_status_t status = check_grid(kernel, launch, message);
  if (status || !launch->grid[0] || !launch->grid[1] || !launch->grid[2])
    return status;
  status = nereid_device_enter(kernel->device, &pushed, message);
  if (status)
    return status;
  status = take_scratch(kernel, launch, launch->global_scratch, metadata->global_scratch_size,
                        metadata->global_scratch_align, &global, message);
  if (!status)
    status = take_scratch(kernel, launch, launch->profile_scratch, metadata->profile_scratch_size,
                          metadata->profile_scratch_align, &profile, message);
  parameters[n] = &global.base;
  parameters[n + 1] = &profile.base;
  if (!status)
    status = launch_now(kernel, launch, parameters, message);
  parameters[n] = parameters[n + 1] = NULL;
  give_back(kernel, launch, &global);
  give_back(kernel, launch, &profile);
  nereid_device_leave(kernel->device, pushed);
  return status;
}

static nereid_status_t wrong_count(const nereid_kernel_t *kernel, size_t n, nereid_message_t *message) {
  return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "kernel '%s' takes %zu arguments, not %zu",
                            kernel->metadata.name, kernel->metadata.n_parameters, n);
}

nereid_status_t nereid_kernel_launch(const nereid_kernel_t *kernel, const nereid_launch_t *launch, size_t n,
                                     const nereid_value_t *arguments, nereid_message_t *message) {
  void *parameters[NEREID_KERNEL_PARAMETER_LIMIT];
  if (n != kernel->metadata.n_parameters)
    return wrong_count(kernel, n, message);
  for (size_t i = 0; i < n; ++i) {
    const nereid_value_t *value = &arguments[i];
    bool descriptor = value->kind == NEREID_PARAMETER_DESCRIPTOR;
    if (!type_fits(&kernel->metadata.parameters[i], value))
      return wrong_type(kernel, i, value, message);
    if (!descriptor && (value->as.bits & kernel->divisor_masks[i]))
      return wrong_divisor(kernel, i, value, message);
    parameters[i] = descriptor ? (void *)value->as.memory : (void *)&value->as.bits;
  }
  return launch_parameters(kernel, launch, parameters, message);
}

nereid_status_t nereid_kernel_launch_raw(const nereid_kernel_t *kernel, const nereid_launch_t *launch, size_t n,
                                         void *const *arguments, nereid_message_t *message) {
  void *parameters[NEREID_KERNEL_PARAMETER_LIMIT];
  if (n != kernel->metadata.n_parameters)
    return wrong_count(kernel, n, message);
  for (size_t i = 0; i < n; ++i) {
    if (!arguments[i])
      return wrong_argument(kernel, i, "is a null pointer", message);
    parameters[i] = arguments[i];
  }
  return launch_parameters(kernel, launch, parameters, message);
}

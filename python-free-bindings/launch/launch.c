/* Launches a kernel: checks the arguments, collects their addresses, calls the driver.
 *
 *   parameters   &argument 0 ... &argument n-1, &global scratch, &profile scratch        (docs/abi.md)
 *
 * This path runs often. State that does not depend on the arguments is computed when the module is loaded. The only
 * allocation is scratch memory that the kernel requires and the caller does not pass. */
#include "python-free-bindings/launch/arguments.h"
#include "python-free-bindings/launch/owners.h"

#include "base/kernel/tensor_map.h"

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

/* Evaluates the kernel's map for the parameters of a launch without a grid. */
static nereid_status_t map_grid(const nereid_kernel_t *kernel, void *const *parameters, uint32_t out_grid[3],
                                nereid_message_t *message) {
  const nereid_metadata_t *metadata = &kernel->metadata;
  int64_t values[NEREID_GRID_ARGUMENTS];
  if (!kernel->grid.n_steps)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "the launch specifies no grid, and kernel '%s' has no grid map: pass a grid, or compile "
                              "with --grid",
                              metadata->name);
  for (size_t i = 0; i < metadata->n_grid_arguments; ++i) {
    const size_t position = (size_t)metadata->grid_arguments[i];
    values[i] = nereid_element_read_integer(metadata->parameters[position].element, parameters[position]);
  }
  return nereid_grid_run(&kernel->grid, metadata, kernel->device->info.multiprocessors, values, out_grid, message);
}

/* `parameters` has room for the two scratch pointers after the kernel's own. */
static nereid_status_t launch_grid(const nereid_kernel_t *kernel, const nereid_launch_t *launch, void **parameters,
                                   nereid_message_t *message) {
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

/* Launches with the grid of `launch`, or with the kernel's own if that is zeros or `launch` is null. */
static nereid_status_t launch_parameters(const nereid_kernel_t *kernel, const nereid_launch_t *launch,
                                         void **parameters, nereid_message_t *message) {
  nereid_launch_t mapped = {0};
  if (launch && (launch->grid[0] || launch->grid[1] || launch->grid[2]))
    return launch_grid(kernel, launch, parameters, message);
  if (launch)
    mapped = *launch;
  nereid_status_t status = map_grid(kernel, parameters, mapped.grid, message);
  return status ? status : launch_grid(kernel, &mapped, parameters, message);
}

static nereid_place_t place_of(size_t i, const uint16_t *argument_of) {
  return (nereid_place_t){i, argument_of ? argument_of[i] : i};
}

/* The device memory that a parameter points to; 0: it is a scalar, or a descriptor of a GPU. */
static uint64_t address_of(const nereid_parameter_t *parameter, const void *value) {
  nereid_tensor_map_t map;
  uint64_t address = 0;
  if (parameter->kind == NEREID_PARAMETER_POINTER)
    memcpy(&address, value, sizeof address);
  else if (parameter->kind == NEREID_PARAMETER_DESCRIPTOR && nereid_tensor_map_read(value, &map))
    address = map.address;
  return address;
}

/* Refuses memory of another device. Only the emulator is asked: a query of CUDA's driver for each pointer would take
 * longer than the launch, and the GPU reports the access. */
static nereid_status_t check_memory(const nereid_kernel_t *kernel, void *const *parameters, const uint16_t *argument_of,
                                    nereid_message_t *message) {
  const nereid_device_t *device = kernel->device;
  for (size_t i = 0; device->emulated && i < kernel->metadata.n_parameters; ++i) {
    const uint64_t address = address_of(&kernel->metadata.parameters[i], parameters[i]);
    nereid_message_t problem;
    if (!nereid_device_is_foreign(device, address))
      continue;
    nereid_message_set(&problem, NEREID_OK, "is memory of another device, which kernels of this one cannot use: 0x%llx",
                       (unsigned long long)address);
    return nereid_argument_wrong(kernel, place_of(i, argument_of), problem.text, message);
  }
  return NEREID_OK;
}

/* Whether a value other than a tensor has the type of the parameter. */
static inline bool fits(const nereid_parameter_check_t *parameter, const nereid_value_t *value) {
  switch ((nereid_parameter_kind_t)parameter->kind) {
  case NEREID_PARAMETER_SCALAR:
    return value->kind == NEREID_PARAMETER_SCALAR && value->element == parameter->element;
  case NEREID_PARAMETER_POINTER:
    return value->kind == NEREID_PARAMETER_POINTER &&
           (!value->element || !parameter->element || value->element == parameter->element);
  case NEREID_PARAMETER_DESCRIPTOR:
    return value->kind == NEREID_PARAMETER_DESCRIPTOR && value->as.memory;
  case NEREID_PARAMETER_TENSOR: /* not a kind of parameter */
    break;
  case NEREID_PARAMETER_OPAQUE:
    if (value->kind == NEREID_PARAMETER_POINTER)
      return parameter->size == 8;
    return value->kind == NEREID_PARAMETER_SCALAR && nereid_element_size(value->element) == parameter->size;
  }
  return false;
}

/* Checks a value per parameter and launches. `argument_of` has the positions of the arguments; null: those of the
 * parameters. */
static nereid_status_t launch_values(const nereid_kernel_t *kernel, const nereid_launch_t *launch,
                                     const nereid_value_t *values, const uint16_t *argument_of,
                                     nereid_message_t *message) {
  void *parameters[NEREID_KERNEL_PARAMETER_LIMIT];
  for (size_t i = 0; i < kernel->metadata.n_parameters; ++i) {
    const nereid_value_t *value = &values[i];
    bool descriptor = value->kind == NEREID_PARAMETER_DESCRIPTOR;
    if (!fits(&kernel->checks[i], value))
      return nereid_argument_wrong_type(kernel, place_of(i, argument_of), value, message);
    if (!descriptor && (value->as.bits & kernel->checks[i].mask))
      return nereid_argument_wrong_divisor(kernel, place_of(i, argument_of), value, message);
    parameters[i] = descriptor ? (void *)value->as.memory : (void *)&value->as.bits;
  }
  nereid_status_t status = check_memory(kernel, parameters, argument_of, message);
  return status ? status : launch_parameters(kernel, launch, parameters, message);
}

/* Launches with tensors. Their owners are retained while the launch is queued. */
static nereid_status_t launch_tensors(const nereid_kernel_t *kernel, const nereid_launch_t *launch, size_t n,
                                      const nereid_value_t *arguments, nereid_message_t *message) {
  nereid_arguments_t expanded;
  nereid_owners_collect(kernel->device->owners, kernel->device->driver);
  nereid_status_t status = nereid_arguments_expand(kernel, n, arguments, true, &expanded, message);
  if (status)
    return status;
  status = nereid_arguments_capture(kernel, launch ? launch->stream : NULL, &expanded, message);
  if (!status)
    status = launch_values(kernel, launch, expanded.values, expanded.argument_of, message);
  nereid_arguments_release(&expanded);
  return status;
}

nereid_status_t nereid_kernel_launch(const nereid_kernel_t *kernel, const nereid_launch_t *launch, size_t n,
                                     const nereid_value_t *arguments, nereid_message_t *message) {
  for (size_t i = 0; i < n; ++i)
    if (arguments[i].kind == NEREID_PARAMETER_TENSOR)
      return launch_tensors(kernel, launch, n, arguments, message);
  if (n != kernel->metadata.n_parameters)
    return nereid_argument_wrong_count(kernel, n, message);
  return launch_values(kernel, launch, arguments, NULL, message);
}

nereid_status_t nereid_kernel_launch_raw(const nereid_kernel_t *kernel, const nereid_launch_t *launch, size_t n,
                                         void *const *arguments, nereid_message_t *message) {
  void *parameters[NEREID_KERNEL_PARAMETER_LIMIT];
  if (n != kernel->metadata.n_parameters)
    return nereid_argument_wrong_count(kernel, n, message);
  for (size_t i = 0; i < n; ++i) {
    if (!arguments[i])
      return nereid_argument_wrong(kernel, place_of(i, NULL), "is a null pointer", message);
    parameters[i] = arguments[i];
  }
  nereid_status_t status = check_memory(kernel, parameters, NULL, message);
  return status ? status : launch_parameters(kernel, launch, parameters, message);
}

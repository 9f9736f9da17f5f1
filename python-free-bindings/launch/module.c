/* Loads an image as a kernel: reads, matches, checks against the device, loads, raises limits.
 *
 * All checks that do not need the driver come first, with the numbers in their messages; errors of the driver are
 * reported with its description. */
#include "python-free-bindings/launch/kernel.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>

enum {
  SHARED_WITHOUT_ASKING = 48 * 1024, /* limit of bytes per CTA without an opt-in */
  PORTABLE_CLUSTER = 8,              /* limit of CTAs per cluster that every device with clusters supports */
  JIT_LOG_BYTES = 400,
};

static nereid_status_t check_device(const nereid_device_t *device, const nereid_metadata_t *metadata,
                                    nereid_message_t *message) {
  const nereid_device_info_t *info = &device->info;
  if (metadata->num_ctas > 1 && !info->clusters)
    return nereid_message_set(message, NEREID_ERROR_UNSUPPORTED,
                              "kernel '%s' requires clusters of %d CTAs, which %s (sm_%d) does not support",
                              metadata->name, (int)metadata->num_ctas, info->name, (int)info->capability);
  if (metadata->cooperative && !info->cooperative)
    return nereid_message_set(message, NEREID_ERROR_UNSUPPORTED,
                              "kernel '%s' requires a cooperative launch, which %s does not support", metadata->name,
                              info->name);
  return NEREID_OK;
}

/* Loads the image. For PTX the log of the driver's compiler is reported, which is more precise than its error code. */
static nereid_status_t load_image(nereid_module_t *module, nereid_view_t bytes, nereid_message_t *message) {
  const nereid_driver_t *driver = module->device->driver;
  char log[JIT_LOG_BYTES] = "";
  int options[] = {NEREID_CU_JIT_ERROR_LOG, NEREID_CU_JIT_ERROR_LOG_BYTES};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  const char *image = nereid_arena_copy(&module->arena, bytes); /* aligned, and with the NUL that PTX requires */
  if (!image)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  bool ptx = module->image.kind == NEREID_IMAGE_PTX;
  nereid_cu_result_t result = driver->module_load_data_ex(&module->handle, image, ptx ? 2 : 0, options, values);
  nereid_status_t status = nereid_driver_check(driver, result, "loading the image", message);
  if (status && message) {
    size_t used = strlen(message->text);
    snprintf(message->text + used, sizeof message->text - used, " (image for %s, device sm_%d)%s%s", module->image.arch,
             (int)module->device->info.capability, log[0] ? "; " : "", log);
    for (char *at = message->text; *at; ++at)
      if (*at == '\n')
        *at = ' ';
  }
  return status;
}

static nereid_status_t too_much_shared(const nereid_kernel_t *kernel, nereid_message_t *message) {
  return nereid_message_set(message, NEREID_ERROR_UNSUPPORTED,
                            "kernel '%s' requires %llu bytes of shared memory per CTA; the limit of %s is %d: compile "
                            "with fewer stages or smaller tiles",
                            kernel->metadata.name, (unsigned long long)kernel->metadata.shared,
                            kernel->device->info.name, (int)kernel->device->info.shared_limit);
}

/* Raises the limit of dynamic shared memory. Static shared memory counts too, but only the driver knows which part of
 * it the limit includes, so the driver makes the final check. */
static nereid_status_t raise_shared_limit(nereid_kernel_t *kernel, nereid_message_t *message) {
  const nereid_driver_t *driver = kernel->device->driver;
  uint64_t shared = kernel->metadata.shared;
  int fixed = 0;
  nereid_status_t status =
      nereid_driver_check(driver, driver->func_get_attribute(&fixed, NEREID_CU_FUNC_SHARED_SIZE, kernel->function),
                          "querying static shared memory", message);
  if (status || shared + (uint64_t)fixed <= SHARED_WITHOUT_ASKING)
    return status;
  if (shared > (uint64_t)kernel->device->info.shared_limit ||
      driver->func_set_attribute(kernel->function, NEREID_CU_FUNC_MAX_DYNAMIC_SHARED, (int)shared))
    return too_much_shared(kernel, message);
  return NEREID_OK;
}

static nereid_cu_launch_attribute_t *add_attribute(nereid_kernel_t *kernel, int id, int flag) {
  nereid_cu_launch_attribute_t *attribute = &kernel->attributes[kernel->n_attributes++];
  *attribute = (nereid_cu_launch_attribute_t){.id = id};
  attribute->value.flag = flag;
  return attribute;
}

static nereid_status_t set_attributes(nereid_kernel_t *kernel, nereid_message_t *message) {
  const nereid_metadata_t *metadata = &kernel->metadata;
  if (metadata->pdl)
    add_attribute(kernel, NEREID_CU_LAUNCH_PROGRAMMATIC_SERIALIZATION, 1);
  if (metadata->cooperative)
    add_attribute(kernel, NEREID_CU_LAUNCH_COOPERATIVE, 1);
  if (metadata->num_ctas == 1)
    return NEREID_OK;
  nereid_cu_launch_attribute_t *cluster = add_attribute(kernel, NEREID_CU_LAUNCH_CLUSTER_DIMENSION, 0);
  cluster->value.cluster.x = (unsigned)metadata->num_ctas;
  cluster->value.cluster.y = cluster->value.cluster.z = 1;
  add_attribute(kernel, NEREID_CU_LAUNCH_CLUSTER_SCHEDULING, NEREID_CU_CLUSTER_SPREAD);
  if (metadata->num_ctas <= PORTABLE_CLUSTER)
    return NEREID_OK;
  const nereid_driver_t *driver = kernel->device->driver;
  return nereid_driver_check(driver,
                             driver->func_set_attribute(kernel->function, NEREID_CU_FUNC_NON_PORTABLE_CLUSTER, 1),
                             "allowing a cluster of more than 8 CTAs", message);
}

/* Divisors are powers of two, which one `and` can check. */
static nereid_status_t set_checks(nereid_module_t *module, nereid_message_t *message) {
  nereid_kernel_t *kernel = &module->kernel;
  kernel->checks = nereid_arena_new(&module->arena, nereid_parameter_check_t, kernel->metadata.n_parameters);
  if (!kernel->checks)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  for (size_t i = 0; i < kernel->metadata.n_parameters; ++i) {
    const nereid_parameter_t *parameter = &kernel->metadata.parameters[i];
    const uint32_t divisor = parameter->divisibility;
    kernel->checks[i] = (nereid_parameter_check_t){.mask = divisor && (divisor & (divisor - 1)) == 0 ? divisor - 1 : 0,
                                                   .size = parameter->size,
                                                   .kind = (uint8_t)parameter->kind,
                                                   .element = (uint8_t)parameter->element};
  }
  return NEREID_OK;
}

static nereid_status_t prepare(nereid_module_t *module, nereid_view_t bytes, nereid_message_t *message) {
  nereid_kernel_t *kernel = &module->kernel;
  const nereid_driver_t *driver = module->device->driver;
  kernel->device = module->device;
  const bool has_block = kernel->metadata.block[0] != 0;
  for (int i = 0; i < 3; ++i)
    kernel->block[i] = has_block ? kernel->metadata.block[i] : i ? 1 : (unsigned)kernel->metadata.total_num_warps * 32;
  nereid_status_t status = load_image(module, bytes, message);
  if (!status)
    status = nereid_driver_check(driver,
                                 driver->module_get_function(&kernel->function, module->handle, kernel->metadata.name),
                                 "finding the kernel", message);
  if (!status)
    status = raise_shared_limit(kernel, message);
  if (!status)
    status = set_attributes(kernel, message);
  return status ? status : set_checks(module, message);
}

static nereid_status_t load(nereid_module_t *module, nereid_view_t bytes, nereid_view_t metadata,
                            nereid_message_t *message) {
  bool pushed = false;
  nereid_status_t status = nereid_metadata_parse(&module->arena, metadata, &module->kernel.metadata, message);
  if (!status)
    status = nereid_image_inspect(&module->arena, bytes, &module->image, message);
  if (!status)
    status = nereid_kernel_match(&module->arena, &module->image, &module->kernel.metadata, message);
  if (!status && module->kernel.metadata.grid_map && !module->kernel.metadata.signature)
    status = nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the metadata has a grid map, but no signature");
  if (!status)
    status = nereid_grid_compile(&module->kernel.metadata, &module->kernel.grid, message);
  if (!status)
    status = check_device(module->device, &module->kernel.metadata, message);
  if (!status)
    status = nereid_device_enter(module->device, &pushed, message);
  if (!status)
    status = prepare(module, bytes, message);
  nereid_device_leave(module->device, pushed);
  return status;
}

nereid_status_t nereid_module_load(nereid_device_t *device, nereid_view_t image, nereid_view_t metadata,
                                   nereid_module_t **out_module, nereid_message_t *message) {
  *out_module = NULL;
  nereid_module_t *module = calloc(1, sizeof *module);
  if (!module)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  module->device = device;
  nereid_arena_initialize(&module->arena);
  nereid_status_t status = load(module, image, metadata, message);
  if (status)
    nereid_module_unload(module);
  else
    *out_module = module;
  return status;
}

nereid_status_t nereid_module_load_file(nereid_device_t *device, const char *path, nereid_module_t **out_module,
                                        nereid_message_t *message) {
  nereid_arena_t arena;
  nereid_view_t image = {0}, metadata = {0};
  *out_module = NULL;
  nereid_arena_initialize(&arena);
  nereid_status_t status = nereid_file_read(&arena, path, &image, message);
  const char *beside = nereid_file_beside(&arena, path, ".json");
  if (!status)
    status = beside ? nereid_file_read(&arena, beside, &metadata, message)
                    : nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  if (!status)
    status = nereid_module_load(device, image, metadata, out_module, message);
  nereid_arena_deinitialize(&arena);
  return status;
}

void nereid_module_unload(nereid_module_t *module) {
  bool pushed;
  if (!module)
    return;
  if (module->handle && !nereid_device_enter(module->device, &pushed, NULL)) {
    module->device->driver->module_unload(module->handle);
    nereid_device_leave(module->device, pushed);
  }
  nereid_arena_deinitialize(&module->arena);
  free(module);
}

nereid_status_t nereid_module_kernel(const nereid_module_t *module, const char *name,
                                     const nereid_kernel_t **out_kernel, nereid_message_t *message) {
  *out_kernel = NULL;
  if (name && strcmp(name, module->kernel.metadata.name) != 0)
    return nereid_message_set(message, NEREID_ERROR_NOT_FOUND, "no kernel '%s': the metadata describes '%s'", name,
                              module->kernel.metadata.name);
  *out_kernel = &module->kernel;
  return NEREID_OK;
}

const nereid_metadata_t *nereid_kernel_metadata(const nereid_kernel_t *kernel) {
  return &kernel->metadata;
}

nereid_status_t nereid_kernel_resources(const nereid_kernel_t *kernel, nereid_kernel_resources_t *out_resources,
                                        nereid_message_t *message) {
  const nereid_driver_t *driver = kernel->device->driver;
  bool pushed;
  nereid_status_t status = nereid_device_enter(kernel->device, &pushed, message);
  if (status)
    return status;
  void *function = kernel->function;
  nereid_cu_result_t result = driver->func_get_attribute(&out_resources->registers, NEREID_CU_FUNC_NUM_REGS, function);
  if (result == 0)
    result = driver->func_get_attribute(&out_resources->local, NEREID_CU_FUNC_LOCAL_SIZE, function);
  if (result == 0)
    result = driver->func_get_attribute(&out_resources->static_shared, NEREID_CU_FUNC_SHARED_SIZE, function);
  nereid_device_leave(kernel->device, pushed);
  return nereid_driver_check(driver, result, "querying the kernel's resources", message);
}

/* Modules and launches of the emulator's driver table.
 *
 *   parameters   &x, &n, &scratch, ...      the addresses that cuLaunchKernelEx takes
 *   block        x at 0, n at 8, ...        the parameter block of the PTX, which the emulator takes */
#include "python-free-bindings/launch/emulated/emulated.h"

#include "python-free-bindings/launch/image/image.h"

#include <stdlib.h>

typedef struct module module_t;

typedef struct function {
  const module_t *module;
  const nereid_emulator_kernel_t *kernel;
  uint32_t static_shared; /* bytes per CTA */
} function_t;

struct module {
  nereid_arena_t arena;
  nereid_image_t image;
  nereid_emulator_program_t *program;
  function_t function; /* the module's kernel that the launcher uses */
};

static nereid_cu_result_t load(module_t *module, nereid_view_t image, const nereid_emulated_t *it) {
  nereid_message_t message = {""};
  if (nereid_image_kind(image) != NEREID_IMAGE_PTX)
    return nereid_emulated_fail(NEREID_CU_NO_BINARY_FOR_GPU,
                                "the emulator runs PTX, not a cubin: compile to PTX (--emit ptx, or `emit` = "
                                "NEREID_STAGE_PTX in the options)");
  if (nereid_image_inspect(&module->arena, image, &module->image, &message))
    return nereid_emulated_fail(NEREID_CU_INVALID_PTX, "%s", message.text);
  if (module->image.capability > it->options.capability)
    return nereid_emulated_fail(NEREID_CU_NO_BINARY_FOR_GPU,
                                "the PTX is for %s, the emulator device has compute capability %d: compile for it, or "
                                "open the device with another `capability`",
                                module->image.arch, (int)it->options.capability);
  const char *name = module->image.n_kernels ? module->image.kernels[0].name : "PTX";
  if (nereid_emulator_load(image, name, &module->program, &message))
    return nereid_emulated_fail(NEREID_CU_INVALID_PTX, "%s", message.text);
  return 0;
}

nereid_cu_result_t nereid_emulated_module_load(void **out_module, const void *image, unsigned n_options, int *options,
                                               void **values) {
  module_t *module = calloc(1, sizeof *module);
  const char *bytes = image;
  (void)n_options, (void)options, (void)values; /* options of the driver's compiler */
  if (!module)
    return nereid_emulated_fail(NEREID_CU_OUT_OF_MEMORY, "out of memory for a module");
  nereid_arena_initialize(&module->arena);
  /* The size is not passed: PTX ends in a NUL, an ELF file is rejected because of its first bytes. */
  nereid_cu_result_t result = load(module, nereid_view(bytes), nereid_emulated_current());
  if (result)
    nereid_emulated_module_unload(module);
  else
    *out_module = module;
  return result;
}

nereid_cu_result_t nereid_emulated_module_unload(void *handle) {
  module_t *module = handle;
  nereid_emulator_unload(module->program);
  nereid_arena_deinitialize(&module->arena);
  free(module);
  return 0;
}

nereid_cu_result_t nereid_emulated_get_function(void **out_function, void *handle, const char *name) {
  module_t *module = handle;
  const nereid_image_kernel_t *kernel = nereid_image_find(&module->image, name);
  module->function = (function_t){module, nereid_emulator_kernel(module->program, name), 0};
  if (!kernel || !module->function.kernel)
    return nereid_emulated_fail(NEREID_CU_NOT_FOUND, "no kernel '%s' in the PTX", name);
  module->function.static_shared = kernel->static_shared;
  *out_function = &module->function;
  return 0;
}

/* Registers and local memory are the assembler's to assign: 0 here. */
nereid_cu_result_t nereid_emulated_get_attribute(int *value, int attribute, void *handle) {
  const function_t *function = handle;
  *value = attribute == NEREID_CU_FUNC_SHARED_SIZE ? (int)function->static_shared : 0;
  return 0;
}

nereid_cu_result_t nereid_emulated_set_attribute(void *handle, int attribute, int value) {
  const function_t *function = handle;
  const int64_t limit = nereid_emulated_current()->shared_limit;
  if (attribute == NEREID_CU_FUNC_MAX_DYNAMIC_SHARED && value + (int64_t)function->static_shared > limit)
    return nereid_emulated_fail(NEREID_CU_INVALID_VALUE, "%d bytes of shared memory; the limit is %lld", value,
                                (long long)limit);
  return 0;
}

/* The parameter block, in `out_block` with room for the kernel's parameters. */
static void pack(const nereid_emulator_kernel_t *kernel, void **parameters, uint8_t *out_block) {
  const nereid_emulator_parameter_t *rows;
  const size_t n = nereid_emulator_kernel_parameters(kernel, &rows);
  for (size_t i = 0; i < n; ++i)
    memcpy(out_block + rows[i].offset, parameters[i], rows[i].size);
}

static nereid_emulator_launch_t launch_of(const nereid_cu_launch_config_t *config, nereid_emulated_t *it) {
  const nereid_emulator_device_options_t *options = &it->options;
  nereid_emulator_launch_t launch = {
      .grid = {config->grid_x, config->grid_y, config->grid_z},
      .block = {config->block_x, config->block_y, config->block_z},
      .shared_bytes = config->shared,
      .memory = it->memory,
      .threads = options->threads,
      .schedule = options->schedule,
      .seed = options->seed,
      .landing = options->landing,
      .proxy = options->proxy,
      .steps = options->steps,
      .count = options->count,
      .initcheck = options->initcheck,
      .stop_on = options->stop_on,
      .racecheck = options->racecheck,
      .race = options->race,
      .overwrite = options->overwrite,
      .violation = options->violation,
      .print = options->print,
      .user_data = options->user_data,
  };
  for (unsigned i = 0; i < config->n_attributes; ++i)
    if (config->attributes[i].id == NEREID_CU_LAUNCH_CLUSTER_DIMENSION) {
      launch.cluster[0] = config->attributes[i].value.cluster.x;
      launch.cluster[1] = config->attributes[i].value.cluster.y;
      launch.cluster[2] = config->attributes[i].value.cluster.z;
    }
  return launch;
}

static _Thread_local uint64_t executed;

uint64_t nereid_emulated_executed(void) {
  return executed;
}

nereid_cu_result_t nereid_emulated_run(void *handle, const nereid_cu_launch_config_t *config, const uint8_t *block,
                                       uint32_t bytes) {
  const function_t *function = handle;
  nereid_emulated_t *it = nereid_emulated_current();
  pthread_mutex_lock(&it->lock);
  nereid_emulator_launch_t launch = launch_of(config, it);
  launch.parameters = block;
  launch.parameter_bytes = bytes;
  nereid_status_t status = nereid_emulator_run(function->kernel, &launch, &it->report);
  it->launched = true;
  executed += it->report.warp_instructions;
  const nereid_message_t message = it->report.message;
  pthread_mutex_unlock(&it->lock);
  if (!status)
    return 0;
  return nereid_emulated_fail(status == NEREID_ERROR_MEMORY     ? NEREID_CU_OUT_OF_MEMORY
                              : status == NEREID_ERROR_ARGUMENT ? NEREID_CU_INVALID_VALUE
                                                                : NEREID_CU_LAUNCH_FAILED,
                              "%s", message.text);
}

nereid_cu_result_t nereid_emulated_launch(const nereid_cu_launch_config_t *config, void *handle, void **parameters,
                                          void **extra) {
  const function_t *function = handle;
  const uint32_t bytes = nereid_emulator_kernel_parameter_bytes(function->kernel);
  uint8_t *block = calloc(1, (size_t)bytes + 1);
  (void)extra; /* an alternative to `parameters` that the launcher does not use */
  if (!block)
    return nereid_emulated_fail(NEREID_CU_OUT_OF_MEMORY, "out of memory for %u bytes of parameters", bytes);
  pack(function->kernel, parameters, block);
  if (nereid_emulated_captures(config->stream))
    return nereid_emulated_record_launch(handle, config, block, bytes);
  nereid_cu_result_t result = nereid_emulated_run(handle, config, block, bytes);
  free(block);
  return result;
}

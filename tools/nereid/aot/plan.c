/* Lists the compilations of `nereid aot`.
 *
 *   inputs a.ttir, b.ttir; --target sm_80,sm_90a; --config num_warps=4 --config b:num_warps=8
 *
 *   a    num_warps_4: sm_80 sm_90a
 *   b    num_warps_4: sm_80 sm_90a    num_warps_8: sm_80 sm_90a */
#include "tools/nereid/aot/plan.h"

#include "base/file.h"
#include "base/vector.h"

typedef NEREID_VECTOR(tool_aot_kernel_t) kernels_t;

static const tool_aot_configuration_t default_configuration = {.name = "default"};

static nereid_status_t out_of_memory(nereid_message_t *message) {
  return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
}

static bool contains(const tool_list_t *list, const char *text) {
  for (size_t i = 0; i < list->size; i++)
    if (strcmp(list->items[i], text) == 0)
      return true;
  return false;
}

/* --- kernels --- */

static nereid_status_t add_kernel(nereid_arena_t *arena, kernels_t *kernels, const char *input, nereid_view_t source,
                                  const char *symbol, nereid_message_t *message) {
  for (size_t i = 0; symbol && i < kernels->size; i++)
    if (kernels->data[i].symbol && strcmp(kernels->data[i].symbol, symbol) == 0)
      return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                                "'%s' and '%s' have a kernel '%s': expected different names, or a choice with --kernel",
                                kernels->data[i].input, input, symbol);
  const tool_aot_kernel_t kernel = {.input = input, .source = source, .symbol = symbol, .name = symbol};
  return nereid_vector_push(arena, kernels, kernel) ? NEREID_OK : out_of_memory(message);
}

/* Adds the requested kernels of an input. */
static nereid_status_t add_input(nereid_arena_t *arena, const tool_aot_request_t *request, const char *input,
                                 kernels_t *kernels, nereid_message_t *message) {
  nereid_view_t source;
  tool_list_t names = {0};
  nereid_status_t status = nereid_file_read(arena, input, &source, message);
  if (!status)
    status = tool_aot_find_kernels(arena, source, &names, message);
  if (!status && names.size == 0)
    return add_kernel(arena, kernels, input, source, NULL, message);
  for (size_t i = 0; !status && i < names.size; i++)
    if (request->kernels.size == 0 || contains(&request->kernels, names.items[i]))
      status = add_kernel(arena, kernels, input, source, names.items[i], message);
  return status;
}

/* Reports an option that names a kernel which no input has. */
static nereid_status_t check_kernel(nereid_arena_t *arena, const kernels_t *kernels, const char *option,
                                    const char *name, nereid_message_t *message) {
  const char *known = "";
  for (size_t i = 0; i < kernels->size; i++) {
    const char *symbol = kernels->data[i].symbol;
    if (symbol && strcmp(symbol, name) == 0)
      return NEREID_OK;
    if (symbol && known)
      known = nereid_arena_format(arena, "%s%s%s", known, *known ? ", " : "", symbol);
  }
  return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "%s: no input has a kernel '%s'; they have: %.300s", option,
                            name, known && *known ? known : "none that is known before the compilation");
}

/* --- configurations and grids --- */

static bool is_for(const char *kernel, const tool_aot_kernel_t *of) {
  return !kernel || (of->symbol && strcmp(kernel, of->symbol) == 0);
}

static nereid_status_t set_configurations(nereid_arena_t *arena, const tool_aot_configuration_t *all, size_t n,
                                          tool_aot_kernel_t *kernel, nereid_message_t *message) {
  kernel->configurations = nereid_arena_new(arena, const tool_aot_configuration_t *, n + 1);
  if (!kernel->configurations)
    return out_of_memory(message);
  for (size_t i = 0; i < n; i++) {
    if (!is_for(all[i].kernel, kernel))
      continue;
    for (size_t k = 0; k < kernel->n_configurations; k++)
      if (strcmp(kernel->configurations[k]->name, all[i].name) == 0)
        return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                                  "two configurations have the name '%s': expected different names, name=NAME in "
                                  "--config",
                                  all[i].name);
    kernel->configurations[kernel->n_configurations++] = &all[i];
  }
  if (kernel->n_configurations == 0)
    kernel->configurations[kernel->n_configurations++] = &default_configuration;
  return NEREID_OK;
}

/* Sets the kernel's grid: [KERNEL:]GRID; one for this kernel precedes one for all. */
static nereid_status_t set_grid(nereid_arena_t *arena, const tool_list_t *grids, tool_aot_kernel_t *kernel,
                                nereid_message_t *message) {
  bool is_own = false;
  for (size_t i = 0; i < grids->size; i++) {
    const char *colon = strchr(grids->items[i], ':');
    const char *name =
        colon ? nereid_arena_copy(arena, nereid_view_of(grids->items[i], (size_t)(colon - grids->items[i]))) : NULL;
    if (colon && !name)
      return out_of_memory(message);
    if (!is_for(name, kernel) || (is_own && !name))
      continue;
    kernel->grid = colon ? colon + 1 : grids->items[i];
    is_own = colon != NULL;
  }
  return NEREID_OK;
}

static nereid_status_t set_images(nereid_arena_t *arena, const tool_aot_plan_t *plan, tool_aot_kernel_t *kernel,
                                  nereid_message_t *message) {
  kernel->images = nereid_arena_new(arena, tool_aot_image_t, kernel->n_configurations * plan->n_targets);
  for (size_t i = 0; kernel->images && i < kernel->n_configurations * plan->n_targets; i++)
    kernel->images[i] = (tool_aot_image_t){.configuration = kernel->configurations[i / plan->n_targets],
                                           .target = &plan->targets[i % plan->n_targets]};
  return kernel->images ? NEREID_OK : out_of_memory(message);
}

/* Checks that the kernels that options name exist. */
static nereid_status_t check_names(nereid_arena_t *arena, const tool_aot_request_t *request, const kernels_t *kernels,
                                   const tool_aot_configuration_t *configurations, nereid_message_t *message) {
  nereid_status_t status = NEREID_OK;
  for (size_t i = 0; !status && i < request->kernels.size; i++)
    status = check_kernel(arena, kernels, "--kernel", request->kernels.items[i], message);
  for (size_t i = 0; !status && i < request->configurations.size; i++)
    if (configurations[i].kernel)
      status = check_kernel(arena, kernels, "--config", configurations[i].kernel, message);
  for (size_t i = 0; !status && i < request->grids.size; i++) {
    const char *grid = request->grids.items[i], *colon = strchr(grid, ':');
    const char *name = colon ? nereid_arena_copy(arena, nereid_view_of(grid, (size_t)(colon - grid))) : NULL;
    if (name)
      status = check_kernel(arena, kernels, "--grid", name, message);
  }
  return status;
}

nereid_status_t tool_aot_plan(nereid_arena_t *arena, const tool_aot_request_t *request, tool_aot_plan_t *out_plan,
                              nereid_message_t *message) {
  kernels_t kernels = {0};
  const size_t n = request->configurations.size;
  tool_aot_configuration_t *configurations = nereid_arena_new(arena, tool_aot_configuration_t, n + 1);
  nereid_status_t status = configurations ? NEREID_OK : out_of_memory(message);
  *out_plan = (tool_aot_plan_t){0};
  if (!status)
    status = tool_aot_parse_targets(arena, request->targets, out_plan, message);
  for (size_t i = 0; !status && i < n; i++)
    status = tool_aot_parse_configuration(arena, request->configurations.items[i], &configurations[i], message);
  for (size_t i = 0; !status && i < request->inputs.size; i++)
    status = add_input(arena, request, request->inputs.items[i], &kernels, message);
  if (!status)
    status = check_names(arena, request, &kernels, configurations, message);
  for (size_t i = 0; !status && i < kernels.size; i++) {
    status = set_configurations(arena, configurations, n, &kernels.data[i], message);
    if (!status)
      status = set_grid(arena, &request->grids, &kernels.data[i], message);
    if (!status)
      status = set_images(arena, out_plan, &kernels.data[i], message);
  }
  out_plan->kernels = kernels.data;
  out_plan->n_kernels = kernels.size;
  return status;
}

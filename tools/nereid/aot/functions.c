/* Derives the launch function of a kernel from its signature.
 *
 *   signature    a: tensordesc<f16[128x64]>, a: shape 0, a: shape 1, a: stride 0, a: stride 1, n: i32
 *   arguments    const nereid_tensor_t *a,                                                    int32_t n
 *
 * All images of a kernel have one function. Where the compiler replaced a descriptor by a pointer (before sm_90), its
 * parameters are a group, too, so the arguments are the same. */
#include "tools/nereid/aot/functions.h"

#include "tools/nereid/aot/names.h"

typedef struct arguments {
  size_t n;
  tool_aot_argument_t *data;
} arguments_t;

static nereid_status_t out_of_memory(nereid_message_t *message) {
  return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
}

/* --- arguments --- */

static bool is_descriptor(const nereid_parameter_t *parameter) {
  return parameter->role == NEREID_ROLE_DESCRIPTOR || parameter->role == NEREID_ROLE_BASE;
}

/* Reads the arguments of one image. */
static nereid_status_t read_arguments(nereid_arena_t *arena, const nereid_metadata_t *metadata, arguments_t *out,
                                      nereid_message_t *message) {
  out->n = 0;
  out->data = nereid_arena_new(arena, tool_aot_argument_t, metadata->n_parameters);
  if (!out->data)
    return out_of_memory(message);
  for (size_t i = 0; i < metadata->n_parameters; i++) {
    const nereid_parameter_t *parameter = &metadata->parameters[i];
    tool_aot_argument_t argument = {.name = parameter->name,
                                    .kind = parameter->kind,
                                    .element = parameter->element,
                                    .divisibility = parameter->divisibility};
    if (is_descriptor(parameter) && parameter->rank) {
      argument.kind = NEREID_PARAMETER_TENSOR;
      argument.rank = parameter->rank;
      argument.divisibility = 1; /* the rules of tensor maps are more */
      while (i + 1 < metadata->n_parameters && metadata->parameters[i + 1].group == parameter->group)
        i++; /* shapes and strides */
    }
    out->data[out->n++] = argument;
  }
  return NEREID_OK;
}

static const char *describe(nereid_arena_t *arena, const tool_aot_argument_t *argument) {
  static const char *const kinds[] = {"", "a pointer to ", "an encoded descriptor", "opaque", "a tensor of "};
  const bool has_element = argument->kind != NEREID_PARAMETER_DESCRIPTOR && argument->kind != NEREID_PARAMETER_OPAQUE;
  const char *text = nereid_arena_format(arena, "%s%s", kinds[argument->kind],
                                         has_element ? nereid_element_name(argument->element) : "");
  return text ? text : "another type";
}

/* Compares the arguments of another image with those of the first one, and merges promises. */
static nereid_status_t merge(nereid_arena_t *arena, const tool_aot_kernel_t *kernel, const tool_aot_image_t *image,
                             const arguments_t *other, arguments_t *arguments, nereid_message_t *message) {
  const tool_aot_image_t *first = &kernel->images[0];
  if (other->n != arguments->n)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "kernel '%s' has %zu arguments in configuration %s for %s, but %zu in configuration %s "
                              "for %s: expected one signature",
                              kernel->name, arguments->n, first->configuration->name, first->target->name, other->n,
                              image->configuration->name, image->target->name);
  for (size_t i = 0; i < other->n; i++) {
    tool_aot_argument_t *into = &arguments->data[i];
    const tool_aot_argument_t *from = &other->data[i];
    if (into->kind != from->kind || into->element != from->element || into->rank != from->rank)
      return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                                "argument %zu of kernel '%s' is %s in configuration %s for %s, but %s in configuration "
                                "%s for %s: expected one signature",
                                i, kernel->name, describe(arena, into), first->configuration->name, first->target->name,
                                describe(arena, from), image->configuration->name, image->target->name);
    into->is_stricter |= into->divisibility != from->divisibility;
    if (from->divisibility < into->divisibility)
      into->divisibility = from->divisibility;
  }
  return NEREID_OK;
}

/* Returns whether a name is one of another parameter of the function, or of the first `n` arguments. */
static bool is_taken(const char *name, const arguments_t *arguments, size_t n) {
  static const char *const parameters[] = {"library", "launch", "message", "configuration"};
  for (size_t i = 0; i < TOOL_COUNT(parameters); i++)
    if (strcmp(name, parameters[i]) == 0)
      return true;
  for (size_t i = 0; i < n; i++)
    if (strcmp(name, arguments->data[i].name) == 0)
      return true;
  return false;
}

/* Names the arguments: valid in C, and different. */
static nereid_status_t set_names(nereid_arena_t *arena, arguments_t *arguments, nereid_message_t *message) {
  for (size_t i = 0; i < arguments->n; i++) {
    const char *name = arguments->data[i].name && *arguments->data[i].name
                           ? tool_name_variable(arena, arguments->data[i].name)
                           : nereid_arena_format(arena, "arg%zu", i);
    while (name && is_taken(name, arguments, i))
      name = nereid_arena_format(arena, "%s_", name);
    if (!name)
      return out_of_memory(message);
    arguments->data[i].name = name;
  }
  return NEREID_OK;
}

static nereid_status_t list_arguments(nereid_arena_t *arena, const tool_aot_plan_t *plan,
                                      const tool_aot_kernel_t *kernel, arguments_t *out, nereid_message_t *message) {
  nereid_status_t status = NEREID_OK;
  for (size_t i = 0; !status && i < kernel->n_configurations * plan->n_targets; i++) {
    const tool_aot_image_t *image = &kernel->images[i];
    arguments_t arguments;
    if (!image->metadata.signature)
      return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                                "'%s': the types of the arguments of kernel '%s' are unknown: expected ttir, ttgir or "
                                "the llvm dialect",
                                kernel->input, kernel->name);
    status = read_arguments(arena, &image->metadata, &arguments, message);
    if (!status && i == 0)
      *out = arguments;
    else if (!status)
      status = merge(arena, kernel, image, &arguments, out, message);
  }
  return status ? status : set_names(arena, out, message);
}

/* --- functions --- */

static nereid_status_t list_function(nereid_arena_t *arena, const tool_aot_library_t *library,
                                     const tool_aot_kernel_t *kernel, tool_aot_function_t *out,
                                     nereid_message_t *message) {
  const bool has_names = kernel->n_configurations > 1 || kernel->configurations[0]->is_named;
  const char *own = tool_name_identifier(arena, kernel->name);
  arguments_t arguments = {0};
  *out = (tool_aot_function_t){.kernel = kernel};
  out->name = own ? nereid_arena_format(arena, "%s_%s", library->name, own) : NULL;
  out->configurations = has_names ? nereid_arena_new(arena, const char *, kernel->n_configurations) : NULL;
  for (size_t i = 0; out->name && out->configurations && i < kernel->n_configurations; i++)
    out->configurations[i] = nereid_arena_format(arena, "%s_%s", out->name, kernel->configurations[i]->name);
  nereid_status_t status =
      arena->failed ? out_of_memory(message) : list_arguments(arena, library->plan, kernel, &arguments, message);
  out->n_arguments = arguments.n;
  out->arguments = arguments.data;
  return status;
}

/* Collects all generated names; reports two that are equal. */
static nereid_status_t check_names(nereid_arena_t *arena, const tool_aot_library_t *library,
                                   nereid_message_t *message) {
  size_t n = 0, limit = 1;
  for (size_t i = 0; i < library->plan->n_kernels; i++)
    limit += 1 + library->plan->kernels[i].n_configurations;
  const char **names = nereid_arena_new(arena, const char *, limit);
  if (!names || !(names[n++] = nereid_arena_format(arena, "%s_open", library->name)))
    return out_of_memory(message);
  for (size_t i = 0; i < library->plan->n_kernels; i++) {
    const tool_aot_function_t *function = &library->functions[i];
    names[n++] = function->name;
    for (size_t k = 0; function->configurations && k < function->kernel->n_configurations; k++)
      names[n++] = function->configurations[k];
  }
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < i; k++)
      if (nereid_view_equal(nereid_view(names[i]), nereid_view(names[k])))
        return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                                  "two functions would have the name '%s': expected other names of kernels or "
                                  "configurations, or libraries of their own",
                                  names[i]);
  return NEREID_OK;
}

nereid_status_t tool_aot_list_functions(nereid_arena_t *arena, tool_aot_library_t *library, nereid_message_t *message) {
  const size_t n = library->plan->n_kernels;
  tool_aot_function_t *functions = nereid_arena_new(arena, tool_aot_function_t, n);
  nereid_status_t status = functions ? NEREID_OK : out_of_memory(message);
  for (size_t i = 0; !status && i < n; i++) {
    status = list_function(arena, library, &library->plan->kernels[i], &functions[i], message);
    for (size_t k = 0; !status && k < i; k++)
      if (strcmp(functions[i].kernel->name, functions[k].kernel->name) == 0)
        status = nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                                    "'%s' and '%s' have a kernel '%s': expected different names",
                                    functions[k].kernel->input, functions[i].kernel->input, functions[i].kernel->name);
  }
  library->functions = functions;
  return status ? status : check_names(arena, library, message);
}

/* Prints the C header of a library: one documented function per kernel, and one per configuration.
 *
 *   NEREID_MUST_USE nereid_status_t k_add(nereid_library_t *library, const nereid_launch_t *launch, uint64_t x,
 *                                         int32_t n, nereid_message_t *message); */
#include "tools/nereid/aot/functions.h"

#include "tools/nereid/aot/print.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

const char *tool_aot_c_type(const tool_aot_argument_t *argument) {
  static const char *const scalars[NEREID_ELEMENT_COUNT] = {"",        "bool",    "int8_t",   "int16_t",
                                                            "int32_t", "int64_t", "uint16_t", "uint16_t",
                                                            "float",   "double",  "uint16_t", "uint16_t"};
  switch (argument->kind) {
  case NEREID_PARAMETER_SCALAR:
    return scalars[argument->element];
  case NEREID_PARAMETER_DESCRIPTOR:
    return "const nereid_tma_descriptor_t *";
  case NEREID_PARAMETER_TENSOR:
    return "const nereid_tensor_t *";
  case NEREID_PARAMETER_POINTER:
  case NEREID_PARAMETER_OPAQUE:
    break;
  }
  return "uint64_t";
}

void tool_aot_print_parameters(FILE *out, const tool_aot_function_t *function) {
  fputs("nereid_library_t *library, const nereid_launch_t *launch", out);
  for (size_t i = 0; i < function->n_arguments; i++) {
    const char *type = tool_aot_c_type(&function->arguments[i]);
    fprintf(out, ",\n    %s%s%s", type, type[strlen(type) - 1] == '*' ? "" : " ", function->arguments[i].name);
  }
  fputs(",\n    nereid_message_t *message", out);
}

/* --- comments --- */

static void print_argument(FILE *out, const tool_aot_argument_t *argument) {
  const char *element = nereid_element_name(argument->element);
  fprintf(out, " *   %-12s ", argument->name);
  switch (argument->kind) {
  case NEREID_PARAMETER_TENSOR:
    fprintf(out, "tensor of %s, rank %d", element, (int)argument->rank);
    break;
  case NEREID_PARAMETER_DESCRIPTOR:
    fputs("encoded tensor map", out);
    break;
  case NEREID_PARAMETER_POINTER:
    fprintf(out, "device address of %s", argument->element ? element : "pointers");
    break;
  case NEREID_PARAMETER_SCALAR:
  case NEREID_PARAMETER_OPAQUE:
    fprintf(out,
            nereid_element_is_float(argument->element) && nereid_element_size(argument->element) <= 2
                ? "the bits of a value of type %s"
                : "%s",
            element);
  }
  if (argument->divisibility > 1)
    fprintf(out, ", a multiple of %" PRIu32, argument->divisibility);
  if (argument->is_stricter)
    fputs("; some configurations require a larger divisor", out);
  fputs("\n", out);
}

static void print_grid(FILE *out, const tool_aot_kernel_t *kernel, size_t n_images) {
  size_t n = 0;
  for (size_t i = 0; i < n_images; i++)
    n += kernel->images[i].metadata.grid_map != NULL;
  if (n == 0)
    fputs(" * The kernel has no grid: `launch` must specify one.\n", out);
  else if (n < n_images)
    fputs(" * Only some configurations have a grid: `launch` should specify one.\n", out);
  else
    fputs(" * `launch` may be null: the kernel's own grid, which depends on the arguments, and the default stream.\n",
          out);
}

static void print_scratch(FILE *out, const tool_aot_kernel_t *kernel, size_t n_images) {
  uint64_t most = 0;
  for (size_t i = 0; i < n_images; i++)
    if (kernel->images[i].metadata.global_scratch_size > most)
      most = kernel->images[i].metadata.global_scratch_size;
  if (most)
    fprintf(out,
            " * Scratch: up to %" PRIu64
            " bytes per CTA, allocated and freed in stream order unless `launch` has it.\n",
            most);
}

/* The promises of a configuration, which are those of its first image. */
static void print_configuration(FILE *out, const tool_aot_function_t *function, size_t index, size_t n_targets) {
  const tool_aot_kernel_t *kernel = function->kernel;
  const nereid_metadata_t *metadata = &kernel->images[index * n_targets].metadata;
  const tool_aot_configuration_t *configuration = kernel->configurations[index];
  fprintf(out, " *   %-12s %d warps", configuration->name, (int)metadata->num_warps);
  if (metadata->num_stages)
    fprintf(out, ", %d stages", (int)metadata->num_stages);
  if (metadata->num_ctas > 1)
    fprintf(out, ", %d CTAs per cluster", (int)metadata->num_ctas);
  for (size_t i = 0; i < configuration->constants.size; i++)
    fprintf(out, ", %s", configuration->constants.items[i]);
  const char *before = "; multiples: ";
  for (size_t i = 0; i < metadata->n_parameters; i++)
    if (metadata->parameters[i].divisibility > 1 && metadata->parameters[i].role == NEREID_ROLE_ARGUMENT) {
      fprintf(out, "%s%s of %" PRIu32, before, metadata->parameters[i].name ? metadata->parameters[i].name : "argument",
              metadata->parameters[i].divisibility);
      before = ", ";
    }
  fputs("\n", out);
}

static void print_comment(FILE *out, const tool_aot_library_t *library, const tool_aot_function_t *function) {
  const tool_aot_kernel_t *kernel = function->kernel;
  const size_t n_images = kernel->n_configurations * library->plan->n_targets;
  const char *slash = strrchr(kernel->input, '/');
  fprintf(out, "/* Launches kernel '%s' of %s.\n", kernel->name, slash ? slash + 1 : kernel->input);
  for (size_t i = 0; i < function->n_arguments; i++)
    print_argument(out, &function->arguments[i]);
  print_grid(out, kernel, n_images);
  print_scratch(out, kernel, n_images);
  if (kernel->n_configurations > 1)
    fputs(" * Uses the first of these configurations that the device supports and whose multiples the arguments are; "
          "the\n * functions below use one of them:\n",
          out);
  for (size_t i = 0; kernel->n_configurations > 1 && i < kernel->n_configurations; i++)
    print_configuration(out, function, i, library->plan->n_targets);
  fputs(" * Errors: nereid_library_launch. */\n", out);
}

/* --- the file --- */

static void print_declaration(FILE *out, const char *name, const tool_aot_function_t *function) {
  fprintf(out, "NEREID_MUST_USE nereid_status_t %s(", name);
  tool_aot_print_parameters(out, function);
  fputs(");\n", out);
}

static void print_guard(FILE *out, const char *before, const char *name) {
  fputs(before, out);
  for (; *name; name++)
    fputc(toupper((unsigned char)*name), out);
  fputs("_KERNELS_H\n", out);
}

static void print_introduction(FILE *out, const tool_aot_library_t *library) {
  fprintf(out,
          "/* Library '%s': kernels compiled ahead of time. Generated by nereid aot %s: do not edit.\n"
          " *\n"
          " *   nereid_library_t *library;\n"
          " *   %s_open(device, &library, &message);\n"
          " *   %s(library, launch, ..., &message);\n"
          " *   nereid_library_close(library);\n"
          " *\n"
          " * Images:",
          library->name, NEREID_VERSION, library->name, library->functions[0].name);
  for (size_t i = 0; i < library->plan->n_targets; i++)
    fprintf(out, "%s %s", i ? "," : "", library->plan->targets[i].name);
  fprintf(
      out,
      ". %s\n * Link with libnereid-launch; nereid/library.h has the rules for images and configurations. `message` "
      "may be null. */\n",
      library->lazy ? "An image is loaded at its first launch, or by nereid_library_load."
                    : "Opening the library loads the images of the device.");
}

static void print_header(FILE *out, const tool_aot_library_t *library) {
  print_introduction(out, library);
  print_guard(out, "#ifndef ", library->name);
  print_guard(out, "#define ", library->name);
  fputs("\n#include \"nereid/library.h\"\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n", out);
  fprintf(out,
          "/* Opens the library on a device: nereid_library_open. The caller closes it with nereid_library_close. */\n"
          "NEREID_MUST_USE nereid_status_t %s_open(nereid_device_t *device, nereid_library_t **out_library,\n"
          "    nereid_message_t *message);\n",
          library->name);
  for (size_t i = 0; i < library->plan->n_kernels; i++) {
    const tool_aot_function_t *function = &library->functions[i];
    fputs("\n", out);
    print_comment(out, library, function);
    print_declaration(out, function->name, function);
    for (size_t k = 0; function->configurations && k < function->kernel->n_configurations; k++)
      print_declaration(out, function->configurations[k], function);
  }
  fputs("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n", out);
}

char *tool_aot_print_text(void (*print)(FILE *out, const tool_aot_library_t *library),
                          const tool_aot_library_t *library) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  print(out, library);
  const bool is_lost = ferror(out) != 0;
  if (fclose(out) == 0 && !is_lost)
    return text;
  free(text);
  return NULL;
}

char *tool_aot_print_header(const tool_aot_library_t *library) {
  return tool_aot_print_text(print_header, library);
}

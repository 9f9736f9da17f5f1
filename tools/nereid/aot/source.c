/* Prints the C source of a library: images, tables and launch functions. It is C11 and C++17, so that it can also be
 * compiled with the program that uses it.
 *
 *   static const char image_0_0_1[] = "...";                          of kernel 0, configuration 0, target 1
 *   static const nereid_library_image_t images_0_0[] = {...};
 *   nereid_status_t k_add(...) { return launch_0(NEREID_LIBRARY_ANY, library, launch, x, n, message); } */
#include "tools/nereid/aot/functions.h"

#include "tools/nereid/aot/print.h"

#include <ctype.h>

enum { BYTES_PER_LINE = 64 };

/* Prints bytes as string literals. Others than printable ASCII are octal: three digits cannot run into the next
 * character, and a ? could begin a trigraph. */
static void print_bytes(FILE *out, nereid_view_t bytes) {
  for (size_t i = 0; i < bytes.size; i++) {
    const unsigned char c = (unsigned char)bytes.data[i];
    if (i % BYTES_PER_LINE == 0)
      fputs(i ? "\"\n    \"" : "\n    \"", out);
    if (c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?')
      fputc(c, out);
    else
      fprintf(out, "\\%03o", c);
  }
  fputs(bytes.size ? "\"" : "\"\"", out);
}

static void print_string(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; text++)
    fprintf(out, isalnum((unsigned char)*text) || *text == '_' ? "%c" : "\\%03o", (unsigned char)*text);
  fputc('"', out);
}

/* --- tables --- */

static void print_images(FILE *out, const tool_aot_library_t *library, size_t kernel, size_t configuration) {
  const size_t n = library->plan->n_targets;
  const tool_aot_image_t *images = &library->plan->kernels[kernel].images[configuration * n];
  for (size_t i = 0; i < n; i++) {
    fprintf(out, "\nstatic const char image_%zu_%zu_%zu[] =", kernel, configuration, i);
    print_bytes(out, images[i].bytes);
    fprintf(out, ";\nstatic const char metadata_%zu_%zu_%zu[] =", kernel, configuration, i);
    print_bytes(out, images[i].text);
    fputs(";\n", out);
  }
  fprintf(out, "\nstatic const nereid_library_image_t images_%zu_%zu[] = {\n", kernel, configuration);
  for (size_t i = 0; i < n; i++)
    fprintf(out,
            "    {\"%s\",\n     {image_%zu_%zu_%zu, sizeof image_%zu_%zu_%zu - 1},\n"
            "     {metadata_%zu_%zu_%zu, sizeof metadata_%zu_%zu_%zu - 1}},\n",
            images[i].target->name, kernel, configuration, i, kernel, configuration, i, kernel, configuration, i,
            kernel, configuration, i);
  fputs("};\n", out);
}

static void print_kernel_table(FILE *out, const tool_aot_library_t *library, size_t kernel) {
  const tool_aot_kernel_t *entry = &library->plan->kernels[kernel];
  for (size_t i = 0; i < entry->n_configurations; i++)
    print_images(out, library, kernel, i);
  fprintf(out, "\nstatic const nereid_library_configuration_t configurations_%zu[] = {\n", kernel);
  for (size_t i = 0; i < entry->n_configurations; i++)
    fprintf(out, "    {\"%s\", %zu, images_%zu_%zu},\n", entry->configurations[i]->name, library->plan->n_targets,
            kernel, i);
  fputs("};\n", out);
}

static void print_tables(FILE *out, const tool_aot_library_t *library) {
  const size_t n = library->plan->n_kernels;
  for (size_t i = 0; i < n; i++)
    print_kernel_table(out, library, i);
  fputs("\nstatic const nereid_library_kernel_t kernels[] = {\n", out);
  for (size_t i = 0; i < n; i++) {
    fputs("    {", out);
    print_string(out, library->plan->kernels[i].name);
    fprintf(out, ", %zu, configurations_%zu},\n", library->plan->kernels[i].n_configurations, i);
  }
  fprintf(out,
          "};\n\nstatic const nereid_library_table_t table = {sizeof(nereid_library_table_t), \"%s\", %s, %zu, "
          "kernels};\n",
          library->name, library->lazy ? "true" : "false", n);
}

/* --- functions --- */

static void print_value(FILE *out, const tool_aot_argument_t *argument) {
  static const char *const scalars[NEREID_ELEMENT_COUNT] = {"", "i1", "i8", "i16", "i32", "i64", "", "", "f32", "f64"};
  const char *name = argument->name;
  switch (argument->kind) {
  case NEREID_PARAMETER_SCALAR:
    if (*(scalars[argument->element] ? scalars[argument->element] : ""))
      fprintf(out, "nereid_value_%s(%s)", scalars[argument->element], name);
    else
      fprintf(out, "nereid_value_float_bits((nereid_element_t)%d, %s)", (int)argument->element, name);
    return;
  case NEREID_PARAMETER_DESCRIPTOR:
    fprintf(out, "nereid_value_descriptor(%s)", name);
    return;
  case NEREID_PARAMETER_TENSOR:
    fprintf(out, "nereid_value_tensor(%s)", name);
    return;
  case NEREID_PARAMETER_POINTER:
  case NEREID_PARAMETER_OPAQUE:
    fprintf(out, "nereid_value_pointer(%s)", name);
  }
}

/* The function of all configurations of a kernel. */
static void print_launch(FILE *out, const tool_aot_function_t *function, size_t kernel) {
  fprintf(out, "\nstatic nereid_status_t launch_%zu(size_t configuration, ", kernel);
  tool_aot_print_parameters(out, function);
  fputs(") {\n", out);
  if (function->n_arguments)
    fputs("  const nereid_value_t arguments[] = {\n", out);
  for (size_t i = 0; i < function->n_arguments; i++) {
    fputs("      ", out);
    print_value(out, &function->arguments[i]);
    fputs(",\n", out);
  }
  if (function->n_arguments)
    fputs("  };\n", out);
  fprintf(out, "  return nereid_library_launch(library, &table, %zu, configuration, launch, %zu, %s, message);\n}\n",
          kernel, function->n_arguments, function->n_arguments ? "arguments" : "NULL");
}

static void print_call(FILE *out, const char *name, const tool_aot_function_t *function, size_t kernel,
                       const char *configuration) {
  fprintf(out, "\nnereid_status_t %s(", name);
  tool_aot_print_parameters(out, function);
  fprintf(out, ") {\n  return launch_%zu(%s, library, launch", kernel, configuration);
  for (size_t i = 0; i < function->n_arguments; i++)
    fprintf(out, ", %s", function->arguments[i].name);
  fputs(", message);\n}\n", out);
}

static void print_functions(FILE *out, const tool_aot_library_t *library, size_t kernel) {
  const tool_aot_function_t *function = &library->functions[kernel];
  char number[32];
  print_launch(out, function, kernel);
  print_call(out, function->name, function, kernel, "NEREID_LIBRARY_ANY");
  for (size_t i = 0; function->configurations && i < function->kernel->n_configurations; i++) {
    snprintf(number, sizeof number, "%zu", i);
    print_call(out, function->configurations[i], function, kernel, number);
  }
}

static void print_source(FILE *out, const tool_aot_library_t *library) {
  fprintf(out,
          "/* Library '%s': kernels compiled ahead of time. Generated by nereid aot %s: do not edit. */\n"
          "#include \"%s\"\n\n"
          "#if defined(__GNUC__)\n#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n#endif\n",
          library->name, NEREID_VERSION, library->header);
  print_tables(out, library);
  fprintf(out,
          "\nnereid_status_t %s_open(nereid_device_t *device, nereid_library_t **out_library,\n"
          "    nereid_message_t *message) {\n"
          "  return nereid_library_open(&table, device, out_library, message);\n}\n",
          library->name);
  for (size_t i = 0; i < library->plan->n_kernels; i++)
    print_functions(out, library, i);
}

char *tool_aot_print_source(const tool_aot_library_t *library) {
  return tool_aot_print_text(print_source, library);
}

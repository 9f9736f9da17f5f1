/* nereid info: prints the kernels that a cubin, PTX or metadata file describes.
 *
 *   $ nereid info vector_add.cubin
 *   vector_add.cubin: cubin for sm_90a, 1 kernel
 *   kernel vector_add
 *     parameters    6, 44 bytes
 *     registers     16 per thread
 *     ...
 *     0  x        ptr<f32>   divisible by 16
 *
 * A cubin or PTX file is parsed itself; the metadata file next to it, if any, adds names and types. */
#include "tools/nereid/tool.h"

#include "base/file.h"
#include "nereid/metadata.h"
#include "python-free-bindings/launch/image/image.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

typedef struct settings {
  const char *kernel;
} settings_t;

static const tool_option_t options[] = {
    {"--kernel", "NAME", "print only this kernel of the image", TOOL_TEXT, offsetof(settings_t, kernel)},
};

static int run(int argc, char **argv);

const tool_command_t tool_command_info = {"info",
                                          "FILE.cubin|FILE.ptx|FILE.json",
                                          "prints the parameters and resources of compiled kernels",
                                          options,
                                          TOOL_COUNT(options),
                                          run};

static void print_type(nereid_arena_t *arena, const nereid_parameter_t *parameter) {
  const char *type = nereid_parameter_type_print(arena, parameter);
  printf("%-24s", type ? type : "?");
  if (parameter->role != NEREID_ROLE_ARGUMENT) {
    printf(" %s", nereid_role_name(parameter->role));
    if (parameter->dimension >= 0)
      printf(" %" PRId32, parameter->dimension);
    printf(" of descriptor %" PRId32, parameter->group);
  }
  if (parameter->swizzle)
    printf(" swizzle %" PRId32, parameter->swizzle);
  if (parameter->divisibility > 1)
    printf(" divisible by %" PRIu32, parameter->divisibility);
}

static void print_signature(nereid_arena_t *arena, const nereid_metadata_t *metadata) {
  for (size_t i = 0; metadata->signature && i < metadata->n_parameters; ++i) {
    const nereid_parameter_t *parameter = &metadata->parameters[i];
    printf("  %3zu  %-16s ", i, parameter->name ? parameter->name : "-");
    print_type(arena, parameter);
    putchar('\n');
  }
}

/* Prints the map and, in the order of its inputs, the arguments. */
static void print_grid(const nereid_metadata_t *metadata) {
  printf("  grid            %s", metadata->grid_map);
  for (size_t i = 0; i < metadata->n_grid_arguments; ++i) {
    const size_t position = (size_t)metadata->grid_arguments[i];
    const nereid_parameter_t *parameter =
        position < metadata->n_parameters ? &metadata->parameters[position] : &(nereid_parameter_t){.dimension = -1};
    printf("%s", i ? ", " : " of ");
    if (!parameter->name)
      printf("parameter %zu", position);
    else if (parameter->role == NEREID_ROLE_SHAPE)
      printf("%s[%" PRId32 "]", parameter->name, parameter->dimension);
    else
      printf("%s", parameter->name);
  }
  if (metadata->grid_per_sm)
    printf("; x is at most %" PRId32 " per multiprocessor", metadata->grid_per_sm);
  putchar('\n');
}

static void print_launch(const nereid_metadata_t *metadata) {
  printf("  arch            %s\n", metadata->arch ? metadata->arch : "-");
  printf("  warps           %" PRId32 " per CTA", metadata->total_num_warps);
  if (metadata->total_num_warps != metadata->num_warps)
    printf(" (%" PRId32 " and %" PRId32 " specialized)", metadata->num_warps,
           metadata->total_num_warps - metadata->num_warps);
  printf("\n  CTAs            %" PRId32 " per cluster\n", metadata->num_ctas);
  if (metadata->spill_stores || metadata->spill_loads)
    printf("  spills          %" PRIu64 " bytes stored, %" PRIu64 " bytes loaded per thread\n", metadata->spill_stores,
           metadata->spill_loads);
  else if (metadata->registers)
    printf("  spills          none\n");
  printf("  shared          %" PRIu64 " bytes, dynamic\n", metadata->shared);
  if (metadata->global_scratch_size)
    printf("  global scratch  %" PRIu64 " bytes per CTA\n", metadata->global_scratch_size);
  if (metadata->profile_scratch_size)
    printf("  profile scratch %" PRIu64 " bytes per CTA\n", metadata->profile_scratch_size);
  if (metadata->maxnreg)
    printf("  maxnreg         %" PRId32 "\n", metadata->maxnreg);
  if (metadata->cooperative || metadata->pdl)
    printf("  launch          %s%s%s\n", metadata->cooperative ? "cooperative" : "",
           metadata->cooperative && metadata->pdl ? ", " : "", metadata->pdl ? "programmatic dependent" : "");
  if (metadata->grid_map)
    print_grid(metadata);
  if (metadata->compiler)
    printf("  compiler        %s\n", metadata->compiler);
  if (metadata->assembler)
    printf("  assembler       %s\n", metadata->assembler);
}

static void print_parameters(const nereid_image_kernel_t *kernel) {
  for (size_t i = 0; i < kernel->n_parameters; ++i)
    printf("  %3zu  %" PRIu32 " bytes at %" PRIu32 "\n", i, kernel->parameters[i].size, kernel->parameters[i].offset);
}

static void print_kernel(nereid_arena_t *arena, const nereid_image_kernel_t *kernel,
                         const nereid_metadata_t *metadata) {
  bool described = metadata && strcmp(metadata->name, kernel->name) == 0;
  size_t n = kernel->n_parameters;
  const nereid_image_parameter_t *last = n ? &kernel->parameters[n - 1] : NULL;
  uint32_t bytes = last ? last->offset + last->size - kernel->parameters[0].offset : 0;
  printf("kernel %s\n", kernel->name);
  if (kernel->registers)
    printf("  registers       %" PRIu32 " per thread\n  stack           %" PRIu32 " bytes per thread\n",
           kernel->registers, kernel->stack);
  if (kernel->code)
    printf("  code            %" PRIu32 " bytes\n", kernel->code);
  if (kernel->static_shared)
    printf("  shared          %" PRIu32 " bytes, static\n", kernel->static_shared);
  if (kernel->required_threads[0])
    printf("  threads         %" PRIu32 " per CTA\n",
           kernel->required_threads[0] * kernel->required_threads[1] * kernel->required_threads[2]);
  if (described)
    print_launch(metadata);
  printf("  parameters      %zu, %" PRIu32 " bytes\n", n, bytes);
  if (described && metadata->signature)
    print_signature(arena, metadata);
  else
    print_parameters(kernel);
}

static int print_metadata_file(nereid_arena_t *arena, nereid_view_t text) {
  nereid_metadata_t metadata;
  nereid_message_t message = {0};
  nereid_status_t status = nereid_metadata_parse(arena, text, &metadata, &message);
  if (status)
    return tool_failed(&tool_command_info, status, &message);
  printf("kernel %s%s\n", metadata.name, metadata.foreign ? " (compiled by Triton)" : "");
  print_launch(&metadata);
  if (metadata.signature)
    printf("  parameters      %zu and two scratch pointers\n", metadata.n_parameters);
  print_signature(arena, &metadata);
  return TOOL_DONE;
}

/* Reads the metadata file next to an image. An absent file is valid, a malformed one is an error. */
static nereid_status_t read_beside(nereid_arena_t *arena, const char *path, nereid_metadata_t *metadata,
                                   bool *out_found, nereid_message_t *message) {
  nereid_view_t text;
  const char *beside = nereid_file_beside(arena, path, ".json");
  *out_found = beside && access(beside, R_OK) == 0;
  if (!*out_found)
    return NEREID_OK;
  nereid_status_t status = nereid_file_read(arena, beside, &text, message);
  return status ? status : nereid_metadata_parse(arena, text, metadata, message);
}

static int print_image_file(nereid_arena_t *arena, const char *path, nereid_view_t bytes, const char *only) {
  nereid_image_t image;
  nereid_metadata_t metadata;
  nereid_message_t message = {0};
  bool found = false;
  nereid_status_t status = nereid_image_inspect(arena, bytes, &image, &message);
  if (!status)
    status = read_beside(arena, path, &metadata, &found, &message);
  if (status)
    return tool_failed(&tool_command_info, status, &message);
  if (only && !nereid_image_find(&image, only)) {
    tool_error(&tool_command_info, "'%s' has no kernel '%s'", path, only);
    return TOOL_CALL;
  }
  bool ptx = image.kind == NEREID_IMAGE_PTX;
  printf("%s: %s for %s, %zu kernel%s\n", path, ptx ? "PTX" : "cubin", image.arch, image.n_kernels,
         image.n_kernels == 1 ? "" : "s");
  if (ptx)
    printf("PTX version %" PRId32 ".%" PRId32 "\n", image.ptx_version / 10, image.ptx_version % 10);
  for (size_t i = 0; i < image.n_kernels; ++i)
    if (!only || strcmp(only, image.kernels[i].name) == 0)
      print_kernel(arena, &image.kernels[i], found ? &metadata : NULL);
  return TOOL_DONE;
}

static int info(nereid_arena_t *arena, int argc, char **argv) {
  settings_t settings = {0};
  tool_list_t operands = {0};
  nereid_message_t message = {0};
  nereid_view_t bytes;
  int code = tool_options_parse(arena, &tool_command_info, argc, argv, &settings, &operands);
  if (code != TOOL_CONTINUE)
    return code;
  if (operands.size != 1) {
    tool_error(&tool_command_info, "expected one input file; see nereid info --help");
    return TOOL_CALL;
  }
  nereid_status_t status = nereid_file_read(arena, operands.items[0], &bytes, &message);
  if (status)
    return tool_failed(&tool_command_info, status, &message);
  size_t start = 0;
  while (start < bytes.size && strchr(" \t\r\n", bytes.data[start]))
    ++start;
  if (start < bytes.size && bytes.data[start] == '{')
    return print_metadata_file(arena, bytes);
  return print_image_file(arena, operands.items[0], bytes, settings.kernel);
}

static int run(int argc, char **argv) {
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  int code = info(&arena, argc, argv);
  nereid_arena_deinitialize(&arena);
  return code;
}

/* Prints metadata as JSON, one field and one parameter per line, in a fixed order.
 *
 * Fields of Triton 3.6 keep its names, so that one reader parses both; docs/metadata.md lists them. */
#include "nereid/metadata.h"

#include "base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Null: the JSON value null. */
static void print_string(FILE *out, const char *text) {
  if (text)
    nereid_json_print_string(out, nereid_view(text));
  else
    fputs("null", out);
}

static void print_field(FILE *out, const char *name, const char *text) {
  fprintf(out, "  \"%s\": ", name);
  print_string(out, text);
  fputs(",\n", out);
}

static void print_number(FILE *out, const char *name, uint64_t value) {
  fprintf(out, "  \"%s\": %" PRIu64 ",\n", name, value);
}

static void print_optional(FILE *out, const char *name, int32_t value) {
  if (value)
    print_number(out, name, (uint64_t)value);
  else
    fprintf(out, "  \"%s\": null,\n", name);
}

static void print_flag(FILE *out, const char *name, bool value) {
  fprintf(out, "  \"%s\": %s,\n", name, value ? "true" : "false");
}

static void print_list(FILE *out, size_t n, const int32_t *numbers) {
  fputc('[', out);
  for (size_t i = 0; i < n; ++i)
    fprintf(out, "%s%" PRId32, i ? ", " : "", numbers[i]);
  fputc(']', out);
}

static void print_grid(FILE *out, const nereid_metadata_t *metadata) {
  if (!metadata->grid_map) {
    fputs("  \"grid\": null,\n", out);
    return;
  }
  fputs("  \"grid\": {\"map\": ", out);
  print_string(out, metadata->grid_map);
  fputs(", \"args\": ", out);
  print_list(out, metadata->n_grid_arguments, metadata->grid_arguments);
  fprintf(out, ", \"per_sm\": %" PRId32 "},\n", metadata->grid_per_sm);
}

static void print_parameter(FILE *out, nereid_arena_t *arena, const nereid_parameter_t *parameter) {
  fputs("    {\"name\": ", out);
  print_string(out, parameter->name);
  fprintf(out, ", \"type\": \"%s\", \"size\": %" PRIu32 ", \"role\": \"%s\"",
          nereid_parameter_type_print(arena, parameter), parameter->size, nereid_role_name(parameter->role));
  if (parameter->divisibility > 1)
    fprintf(out, ", \"divisibility\": %" PRIu32, parameter->divisibility);
  if (parameter->group >= 0)
    fprintf(out, ", \"group\": %" PRId32, parameter->group);
  if (parameter->dimension >= 0)
    fprintf(out, ", \"dim\": %" PRId32, parameter->dimension);
  if (parameter->kind == NEREID_PARAMETER_POINTER && parameter->rank > 0) {
    fputs(", \"block\": ", out);
    print_list(out, (size_t)parameter->rank, parameter->block);
  }
  if (parameter->kind == NEREID_PARAMETER_DESCRIPTOR && parameter->rank > 0)
    fprintf(out, ", \"swizzle\": %" PRId32, parameter->swizzle);
  if (parameter->fp4_padded)
    fputs(", \"fp4_padded\": true", out);
  if (parameter->nan_padding)
    fputs(", \"nan_padding\": true", out);
  fputc('}', out);
}

static void print_signature(FILE *out, nereid_arena_t *arena, const nereid_metadata_t *metadata) {
  if (!metadata->signature) {
    fputs("  \"signature\": null\n", out);
    return;
  }
  fputs("  \"signature\": [", out);
  for (size_t i = 0; i < metadata->n_parameters; ++i) {
    fputs(i ? ",\n" : "\n", out);
    print_parameter(out, arena, &metadata->parameters[i]);
  }
  fputs(metadata->n_parameters ? "\n  ]\n" : "]\n", out);
}

static void print_metadata(FILE *out, nereid_arena_t *arena, const nereid_metadata_t *metadata) {
  fputs("{\n", out);
  print_number(out, "nereid", NEREID_METADATA_VERSION);
  print_field(out, "name", metadata->name);
  fprintf(out, "  \"target\": {\"backend\": \"cuda\", \"arch\": %" PRId32 ", \"warp_size\": 32},\n",
          metadata->capability);
  print_field(out, "arch", metadata->arch);
  print_number(out, "num_warps", (uint64_t)metadata->num_warps);
  print_number(out, "total_num_warps", (uint64_t)metadata->total_num_warps);
  print_number(out, "num_ctas", (uint64_t)metadata->num_ctas);
  print_optional(out, "num_stages", metadata->num_stages);
  print_optional(out, "maxnreg", metadata->maxnreg);
  print_optional(out, "ptx_version", metadata->ptx_version);
  print_optional(out, "registers", metadata->registers);
  if (metadata->registers) {
    print_number(out, "spill_stores", metadata->spill_stores);
    print_number(out, "spill_loads", metadata->spill_loads);
  }
  if (metadata->tensor_registers)
    print_number(out, "tensor_registers", (uint64_t)metadata->tensor_registers);
  print_number(out, "shared", metadata->shared);
  print_number(out, "global_scratch_size", metadata->global_scratch_size);
  print_number(out, "global_scratch_align", metadata->global_scratch_align);
  print_number(out, "profile_scratch_size", metadata->profile_scratch_size);
  print_number(out, "profile_scratch_align", metadata->profile_scratch_align);
  if (metadata->abi == NEREID_ABI_PTX)
    print_field(out, "abi", "ptx");
  if (metadata->block[0])
    fprintf(out, "  \"block\": [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "],\n", metadata->block[0], metadata->block[1],
            metadata->block[2]);
  print_flag(out, "launch_cooperative_grid", metadata->cooperative);
  print_flag(out, "launch_pdl", metadata->pdl);
  print_flag(out, "enable_fp_fusion", metadata->fp_fusion);
  print_field(out, "compiler", metadata->compiler);
  print_field(out, "assembler", metadata->assembler);
  print_grid(out, metadata);
  print_signature(out, arena, metadata);
  fputs("}\n", out);
}

nereid_status_t nereid_metadata_print(nereid_arena_t *arena, const nereid_metadata_t *metadata,
                                      nereid_view_t *out_text) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NEREID_ERROR_MEMORY;
  print_metadata(out, arena, metadata);
  bool failed = ferror(out) != 0;
  failed |= fclose(out) != 0;
  char *copy = failed ? NULL : nereid_arena_copy(arena, nereid_view_of(text, size));
  free(text);
  *out_text = nereid_view_of(copy, copy ? size : 0);
  return copy && !arena->failed ? NEREID_OK : NEREID_ERROR_MEMORY;
}

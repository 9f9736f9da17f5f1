/* Parses JSON metadata, Nereid's and Triton 3.6's.
 *
 * Nereid's has "nereid": 1 and a signature. Triton's has neither; its `num_warps` is the launched number, and
 * `tensordesc_meta` lists by-value descriptors without their position. Common fields have the same spelling. Every read
 * goes through one of four functions that check presence, type and range and name the field in an error. The first
 * error is kept; later reads do nothing. */
#include "nereid/metadata.h"

#include <cjson/cJSON.h>
#include <math.h>

typedef struct reader {
  nereid_arena_t *arena;
  nereid_message_t *message;
  nereid_status_t status;
  const char *where; /* "" or "signature[2]." */
} reader_t;

enum { REQUIRED = 1, OPTIONAL = 0 };

static void refuse(reader_t *reader, const char *field, const char *expected) {
  if (reader->status == NEREID_OK)
    reader->status = nereid_message_set(reader->message, NEREID_ERROR_ARGUMENT, "metadata field '%s%s' must be %s",
                                        reader->where ? reader->where : "", field, expected);
}

static void out_of_memory(reader_t *reader) {
  if (reader->status == NEREID_OK)
    reader->status = nereid_message_set(reader->message, NEREID_ERROR_MEMORY, "out of memory");
}

/* Returns the field; null when it is absent or JSON's null. */
static const cJSON *find(reader_t *reader, const cJSON *object, const char *field, int required) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, field);
  if (cJSON_IsNull(item))
    item = NULL;
  if (!item && required)
    refuse(reader, field, "there");
  return reader->status == NEREID_OK ? item : NULL;
}

static bool is_integer(const cJSON *item, double low, double high) {
  return cJSON_IsNumber(item) && item->valuedouble >= low && item->valuedouble <= high &&
         floor(item->valuedouble) == item->valuedouble;
}

static void read_int(reader_t *reader, const cJSON *object, const char *field, int required, int32_t low, int32_t high,
                     int32_t *out_value) {
  const cJSON *item = find(reader, object, field, required);
  if (!item)
    return;
  if (is_integer(item, low, high))
    *out_value = (int32_t)item->valuedouble;
  else
    refuse(reader, field, nereid_arena_format(reader->arena, "an integer from %d to %d", low, high));
}

/* Reads sizes in bytes; doubles represent integers up to 2^53 exactly, far beyond the memory of any machine. */
static void read_size(reader_t *reader, const cJSON *object, const char *field, int required, uint64_t *out_value) {
  const cJSON *item = find(reader, object, field, required);
  if (!item)
    return;
  if (is_integer(item, 0, 9007199254740992.0))
    *out_value = (uint64_t)item->valuedouble;
  else
    refuse(reader, field, "a number of bytes, 0 or more");
}

static void read_align(reader_t *reader, const cJSON *object, const char *field, uint64_t *out_value) {
  uint64_t value = *out_value;
  read_size(reader, object, field, OPTIONAL, &value);
  if (value == 0 || (value & (value - 1)) != 0 || value > 65536)
    refuse(reader, field, "a power of two up to 65536");
  else
    *out_value = value;
}

static void read_flag(reader_t *reader, const cJSON *object, const char *field, bool *out_value) {
  const cJSON *item = find(reader, object, field, OPTIONAL);
  if (!item)
    return;
  if (cJSON_IsBool(item))
    *out_value = cJSON_IsTrue(item);
  else
    refuse(reader, field, "true or false");
}

static void read_string(reader_t *reader, const cJSON *object, const char *field, int required,
                        const char **out_value) {
  const cJSON *item = find(reader, object, field, required);
  if (!item)
    return;
  if (!cJSON_IsString(item)) {
    refuse(reader, field, "a string");
    return;
  }
  *out_value = nereid_arena_copy(reader->arena, nereid_view(item->valuestring));
  if (!*out_value)
    out_of_memory(reader);
}

/* Reads an array of integers into the arena; null when it is absent. */
static const int32_t *read_list(reader_t *reader, const cJSON *object, const char *field, int32_t low, int32_t high,
                                size_t *out_size) {
  const cJSON *list = find(reader, object, field, OPTIONAL), *item;
  *out_size = 0;
  if (!list)
    return NULL;
  if (!cJSON_IsArray(list)) {
    refuse(reader, field, "a list of integers");
    return NULL;
  }
  int32_t *numbers = nereid_arena_new(reader->arena, int32_t, (size_t)cJSON_GetArraySize(list));
  if (!numbers) {
    out_of_memory(reader);
    return NULL;
  }
  cJSON_ArrayForEach(item, list) {
    if (is_integer(item, low, high))
      numbers[(*out_size)++] = (int32_t)item->valuedouble;
    else
      refuse(reader, field, nereid_arena_format(reader->arena, "a list of integers from %d to %d", low, high));
  }
  return numbers;
}

static void read_block(reader_t *reader, const cJSON *object, const char *field, nereid_parameter_t *parameter) {
  size_t rank;
  const int32_t *block = read_list(reader, object, field, 1, 1 << 24, &rank);
  if (!block || reader->status)
    return;
  if (rank == 0 || rank > NEREID_RANK_LIMIT) {
    refuse(reader, field, "a list of 1 to 5 integers");
    return;
  }
  parameter->rank = (int32_t)rank;
  memcpy(parameter->block, block, rank * sizeof *block);
}

static void read_role(reader_t *reader, const cJSON *object, nereid_parameter_t *parameter) {
  const char *name = "argument";
  read_string(reader, object, "role", OPTIONAL, &name);
  for (int role = NEREID_ROLE_ARGUMENT; name && role <= NEREID_ROLE_PADDING; ++role)
    if (strcmp(name, nereid_role_name((nereid_parameter_role_t)role)) == 0) {
      parameter->role = (nereid_parameter_role_t)role;
      return;
    }
  refuse(reader, "role", "argument, descriptor, base, shape, stride or padding");
}

static void read_type(reader_t *reader, const cJSON *object, nereid_parameter_t *parameter) {
  const char *type = NULL;
  int32_t size = 0;
  read_string(reader, object, "type", REQUIRED, &type);
  if (type && !nereid_parameter_type_parse(nereid_view(type), parameter))
    refuse(reader, "type", "a type such as i32, ptr<f32>, tensordesc<f16[128x64]>, tensormap or opaque");
  read_int(reader, object, "size", parameter->kind == NEREID_PARAMETER_OPAQUE, 1, 4096, &size);
  if (parameter->kind == NEREID_PARAMETER_OPAQUE)
    parameter->size = (uint32_t)size;
  else if (size && (uint32_t)size != parameter->size)
    refuse(reader, "size", "the size of its type");
}

static void read_parameter(reader_t *reader, const cJSON *object, nereid_parameter_t *parameter) {
  int32_t divisibility = 1;
  *parameter = (nereid_parameter_t){.group = -1, .dimension = -1};
  if (!cJSON_IsObject(object)) {
    refuse(reader, "", "an object");
    return;
  }
  read_string(reader, object, "name", OPTIONAL, &parameter->name);
  read_type(reader, object, parameter);
  read_role(reader, object, parameter);
  read_int(reader, object, "divisibility", OPTIONAL, 1, 1 << 30, &divisibility);
  parameter->divisibility = (uint32_t)divisibility;
  read_int(reader, object, "group", parameter->role != NEREID_ROLE_ARGUMENT, 0, 4095, &parameter->group);
  read_int(reader, object, "dim", parameter->role == NEREID_ROLE_SHAPE || parameter->role == NEREID_ROLE_STRIDE, 0,
           NEREID_RANK_LIMIT - 1, &parameter->dimension);
  read_block(reader, object, "block", parameter);
  read_int(reader, object, "swizzle", OPTIONAL, 0, 128, &parameter->swizzle);
  if (parameter->swizzle && parameter->swizzle != 32 && parameter->swizzle != 64 && parameter->swizzle != 128)
    refuse(reader, "swizzle", "0, 32, 64 or 128");
  read_flag(reader, object, "fp4_padded", &parameter->fp4_padded);
  read_flag(reader, object, "nan_padding", &parameter->nan_padding);
}

static void read_signature(reader_t *reader, const cJSON *root, nereid_metadata_t *metadata) {
  const cJSON *list = find(reader, root, "signature", OPTIONAL), *item;
  if (!list)
    return;
  if (!cJSON_IsArray(list)) {
    refuse(reader, "signature", "a list of parameters");
    return;
  }
  nereid_parameter_t *parameters =
      nereid_arena_new(reader->arena, nereid_parameter_t, (size_t)cJSON_GetArraySize(list));
  if (!parameters) {
    out_of_memory(reader);
    return;
  }
  cJSON_ArrayForEach(item, list) {
    reader->where = nereid_arena_format(reader->arena, "signature[%zu].", metadata->n_parameters);
    read_parameter(reader, item, &parameters[metadata->n_parameters++]);
  }
  reader->where = "";
  metadata->parameters = parameters;
  metadata->signature = true;
}

static void read_grid(reader_t *reader, const cJSON *root, nereid_metadata_t *metadata) {
  const cJSON *grid = find(reader, root, "grid", OPTIONAL);
  if (!grid)
    return;
  if (!cJSON_IsObject(grid)) {
    refuse(reader, "grid", "an object with map and args");
    return;
  }
  reader->where = "grid.";
  read_string(reader, grid, "map", REQUIRED, &metadata->grid_map);
  metadata->grid_arguments =
      read_list(reader, grid, "args", 0, (int32_t)metadata->n_parameters - 1, &metadata->n_grid_arguments);
  read_int(reader, grid, "per_sm", OPTIONAL, 0, 1024, &metadata->grid_per_sm);
  reader->where = "";
}

/* Reads Triton's by-value descriptors, in order, each without name and position. Element types are those of the
 * device's tensormap instructions: 6 f16, 7 f32, 9 f64, 10 bf16, 0 to 5 integers of 1, 2, 4, 4, 8 and 8 bytes. */
static void read_foreign_descriptors(reader_t *reader, const cJSON *root, nereid_metadata_t *metadata) {
  static const nereid_element_t elements[] = {NEREID_ELEMENT_I8,  NEREID_ELEMENT_I16, NEREID_ELEMENT_I32,
                                              NEREID_ELEMENT_I32, NEREID_ELEMENT_I64, NEREID_ELEMENT_I64,
                                              NEREID_ELEMENT_F16, NEREID_ELEMENT_F32, NEREID_ELEMENT_F32,
                                              NEREID_ELEMENT_F64, NEREID_ELEMENT_BF16};
  static const int32_t swizzles[] = {0, 32, 64, 128};
  const cJSON *list = find(reader, root, "tensordesc_meta", OPTIONAL), *item;
  if (!cJSON_IsArray(list))
    return;
  nereid_parameter_t *found = nereid_arena_new(reader->arena, nereid_parameter_t, (size_t)cJSON_GetArraySize(list));
  if (!found) {
    out_of_memory(reader);
    return;
  }
  cJSON_ArrayForEach(item, list) {
    int32_t swizzle = 0, type = 0;
    reader->where = nereid_arena_format(reader->arena, "tensordesc_meta[%zu].", metadata->n_parameters);
    nereid_parameter_t *parameter = &found[metadata->n_parameters];
    *parameter = (nereid_parameter_t){.kind = NEREID_PARAMETER_DESCRIPTOR,
                                      .size = 128,
                                      .divisibility = 1,
                                      .role = NEREID_ROLE_DESCRIPTOR,
                                      .group = (int32_t)metadata->n_parameters,
                                      .dimension = -1};
    read_int(reader, item, "swizzle", REQUIRED, 0, 3, &swizzle);
    read_int(reader, item, "elem_type", REQUIRED, 0, 15, &type);
    read_block(reader, item, "block_size", parameter);
    read_flag(reader, item, "fp4_padded", &parameter->fp4_padded);
    parameter->swizzle = swizzles[swizzle];
    parameter->element = type < (int32_t)(sizeof elements / sizeof *elements) ? elements[type] : NEREID_ELEMENT_I8;
    ++metadata->n_parameters;
  }
  reader->where = "";
  metadata->parameters = found;
}

/* Reads the target. Triton writes "sm90" for sm_90a; the cubin has the exact target, so only the number is used. */
static void read_target(reader_t *reader, const cJSON *root, nereid_metadata_t *metadata) {
  const cJSON *target = find(reader, root, "target", OPTIONAL);
  read_string(reader, root, "arch", OPTIONAL, &metadata->arch);
  if (!target)
    return;
  if (!cJSON_IsObject(target)) {
    refuse(reader, "target", "an object with backend and arch");
    return;
  }
  const char *backend = "cuda";
  read_string(reader, target, "backend", OPTIONAL, &backend);
  if (strcmp(backend, "cuda") != 0)
    refuse(reader, "target.backend", "\"cuda\"");
  read_int(reader, target, "arch", OPTIONAL, 0, 9999, &metadata->capability);
}

/* Reads the block and the ABI of PTX that does not have Triton's ABI. */
static void read_convention(reader_t *reader, const cJSON *root, nereid_metadata_t *metadata) {
  const char *abi = "triton";
  size_t n = 0;
  const int32_t *block = read_list(reader, root, "block", 1, 1024, &n);
  read_string(reader, root, "abi", OPTIONAL, &abi);
  if (abi && strcmp(abi, "triton") != 0 && strcmp(abi, "ptx") != 0)
    refuse(reader, "abi", "\"triton\" or \"ptx\"");
  metadata->abi = abi && strcmp(abi, "ptx") == 0 ? NEREID_ABI_PTX : NEREID_ABI_TRITON;
  if (!block)
    return;
  if (n != 3)
    refuse(reader, "block", "three sizes");
  for (size_t i = 0; i < 3 && n == 3; ++i)
    metadata->block[i] = (uint32_t)block[i];
}

/* Reads launch sizes. Any number is valid, because total counts include extra warps; powers of two are checked by the
 * compiler. */
static void read_launch(reader_t *reader, const cJSON *root, nereid_metadata_t *metadata) {
  read_int(reader, root, "num_warps", REQUIRED, 1, 32, &metadata->num_warps);
  metadata->total_num_warps = metadata->num_warps;
  read_int(reader, root, "total_num_warps", OPTIONAL, 1, 32, &metadata->total_num_warps);
  read_int(reader, root, "num_ctas", OPTIONAL, 1, 16, &metadata->num_ctas);
  read_int(reader, root, "num_stages", OPTIONAL, 0, 1024, &metadata->num_stages);
  read_int(reader, root, "maxnreg", OPTIONAL, 0, 256, &metadata->maxnreg);
  read_int(reader, root, "ptx_version", OPTIONAL, 0, 999, &metadata->ptx_version);
  read_int(reader, root, "registers", OPTIONAL, 0, 255, &metadata->registers);
  read_size(reader, root, "spill_stores", OPTIONAL, &metadata->spill_stores);
  read_size(reader, root, "spill_loads", OPTIONAL, &metadata->spill_loads);
  read_int(reader, root, "tensor_registers", OPTIONAL, 0, INT32_MAX, &metadata->tensor_registers);
  read_size(reader, root, "shared", REQUIRED, &metadata->shared);
  if (metadata->shared > INT32_MAX)
    refuse(reader, "shared", "less than 2^31");
  read_size(reader, root, "global_scratch_size", OPTIONAL, &metadata->global_scratch_size);
  read_align(reader, root, "global_scratch_align", &metadata->global_scratch_align);
  read_size(reader, root, "profile_scratch_size", OPTIONAL, &metadata->profile_scratch_size);
  read_align(reader, root, "profile_scratch_align", &metadata->profile_scratch_align);
  read_flag(reader, root, "launch_cooperative_grid", &metadata->cooperative);
  read_flag(reader, root, "launch_pdl", &metadata->pdl);
  read_flag(reader, root, "enable_fp_fusion", &metadata->fp_fusion);
}

static void read_root(reader_t *reader, const cJSON *root, nereid_metadata_t *metadata) {
  int32_t version = 0;
  metadata->foreign = !cJSON_GetObjectItemCaseSensitive(root, "nereid");
  read_int(reader, root, "nereid", OPTIONAL, 1, INT32_MAX, &version);
  if (reader->status == NEREID_OK && !metadata->foreign && version != NEREID_METADATA_VERSION)
    reader->status = nereid_message_set(reader->message, NEREID_ERROR_ARGUMENT,
                                        "metadata is of version %d; this build reads version %d", (int)version,
                                        NEREID_METADATA_VERSION);
  read_string(reader, root, "name", REQUIRED, &metadata->name);
  read_target(reader, root, metadata);
  read_launch(reader, root, metadata);
  read_string(reader, root, "compiler", OPTIONAL, &metadata->compiler);
  read_string(reader, root, "assembler", OPTIONAL, &metadata->assembler);
  if (metadata->foreign) {
    read_foreign_descriptors(reader, root, metadata);
    return;
  }
  read_convention(reader, root, metadata);
  read_signature(reader, root, metadata);
  read_grid(reader, root, metadata);
}

void nereid_metadata_initialize(nereid_metadata_t *metadata) {
  *metadata = (nereid_metadata_t){.num_warps = 4,
                                  .total_num_warps = 4,
                                  .num_ctas = 1,
                                  .global_scratch_align = 1,
                                  .profile_scratch_align = 1,
                                  .fp_fusion = true};
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Parses one JSON value. Null, with the byte offset of the error, when the text is not exactly one value. */
static cJSON *parse_json(nereid_view_t text, size_t *out_stopped) {
  const char *end = text.data;
  cJSON *root = text.size ? cJSON_ParseWithLengthOpts(text.data, text.size, &end, 0) : NULL;
  size_t at = end && end >= text.data ? (size_t)(end - text.data) : 0;
  while (root && at < text.size && is_blank(text.data[at]))
    ++at;
  *out_stopped = at;
  if (root && at == text.size)
    return root;
  cJSON_Delete(root);
  return NULL;
}

nereid_status_t nereid_metadata_parse(nereid_arena_t *arena, nereid_view_t text, nereid_metadata_t *out_metadata,
                                      nereid_message_t *message) {
  nereid_metadata_initialize(out_metadata);
  reader_t reader = {.arena = arena, .message = message, .where = ""};
  size_t stopped;
  cJSON *root = parse_json(text, &stopped);
  if (!root)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "metadata is not JSON: error at byte %zu", stopped);
  if (cJSON_IsObject(root))
    read_root(&reader, root, out_metadata);
  else
    refuse(&reader, "", "one object");
  cJSON_Delete(root);
  if (reader.status == NEREID_OK && arena->failed)
    out_of_memory(&reader);
  return reader.status;
}

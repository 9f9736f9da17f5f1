/* Reads kernels of PTX text: the directives around each .entry, not its instructions.
 *
 *   .version 8.7
 *   .target sm_90a
 *   .visible .entry f(            .param .u64 .ptr .global .align 1 f_param_0,      8 bytes
 *                                 .param .align 64 .b8 f_param_1[128]               128 bytes, aligned to 64
 *   )
 *   .reqntid 128
 *
 * Words are separated by spaces, commas, parentheses and brackets; comments are skipped (PTX ISA, "Syntax"). */
#include "python-free-bindings/launch/image/image.h"

#include "base/vector.h"

typedef struct reader {
  nereid_arena_t *arena;
  const char *at, *end;
  nereid_view_t word; /* the current one; empty at the end */
} reader_t;

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_mark(char c) {
  return c != '\0' && strchr(",()[]{};<>=", c) != NULL;
}

static void skip_blanks(reader_t *reader) {
  while (reader->at < reader->end) {
    size_t left = (size_t)(reader->end - reader->at);
    const char *stop = NULL;
    if (is_blank(*reader->at)) {
      ++reader->at;
      continue;
    }
    if (left > 1 && reader->at[0] == '/' && reader->at[1] == '/')
      stop = memchr(reader->at, '\n', left);
    else if (left > 1 && reader->at[0] == '/' && reader->at[1] == '*')
      stop = memmem(reader->at + 2, left - 2, "*/", 2);
    else
      return;
    reader->at = !stop ? reader->end : *stop == '*' ? stop + 2 : stop;
  }
}

static bool next(reader_t *reader) {
  skip_blanks(reader);
  const char *start = reader->at;
  if (start < reader->end && is_mark(*start))
    ++reader->at;
  else
    while (reader->at < reader->end && !is_blank(*reader->at) && !is_mark(*reader->at))
      ++reader->at;
  reader->word = nereid_view_of(start, (size_t)(reader->at - start));
  return reader->word.size > 0;
}

static bool is(const reader_t *reader, const char *text) {
  return nereid_view_equal(reader->word, nereid_view(text));
}

static bool number(const reader_t *reader, uint32_t *out_value) {
  uint64_t value = 0;
  for (size_t i = 0; i < reader->word.size; ++i) {
    char c = reader->word.data[i];
    if (c < '0' || c > '9' || value > UINT32_MAX / 10)
      return false;
    value = value * 10 + (uint64_t)(c - '0');
  }
  *out_value = (uint32_t)value;
  return reader->word.size > 0 && value <= UINT32_MAX;
}

typedef struct type {
  const char *name;
  uint32_t bytes;
  nereid_element_t element; /* NONE: any bits; .u64 holds an address or an integer */
} type_t;

/* Returns the fundamental type of a word such as .u32; null for other words. */
static const type_t *type_of(nereid_view_t word) {
  static const type_t types[] = {
      {".b8", 1, NEREID_ELEMENT_NONE},    {".u8", 1, NEREID_ELEMENT_I8},    {".s8", 1, NEREID_ELEMENT_I8},
      {".b16", 2, NEREID_ELEMENT_NONE},   {".u16", 2, NEREID_ELEMENT_I16},  {".s16", 2, NEREID_ELEMENT_I16},
      {".f16", 2, NEREID_ELEMENT_F16},    {".b32", 4, NEREID_ELEMENT_NONE}, {".u32", 4, NEREID_ELEMENT_I32},
      {".s32", 4, NEREID_ELEMENT_I32},    {".f32", 4, NEREID_ELEMENT_F32},  {".b64", 8, NEREID_ELEMENT_NONE},
      {".u64", 8, NEREID_ELEMENT_NONE},   {".s64", 8, NEREID_ELEMENT_I64},  {".f64", 8, NEREID_ELEMENT_F64},
      {".b128", 16, NEREID_ELEMENT_NONE},
  };
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
    if (nereid_view_equal(word, nereid_view(types[i].name)))
      return &types[i];
  return NULL;
}

/* Returns whether the word is a name, not a directive or a number (PTX ISA, "Identifiers"). */
static bool is_name(nereid_view_t word) {
  const char c = word.size ? word.data[0] : 0;
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

/* Skips the current word and reads the number after it. */
static bool number_after(reader_t *reader, uint32_t *out_value) {
  return next(reader) && number(reader, out_value);
}

/* Reads from the word after .param to the comma or parenthesis that ends it. An .align after .ptr applies to the
 * pointee. */
static bool read_parameter(reader_t *reader, uint32_t *offset, nereid_image_parameter_t *out_parameter) {
  uint32_t align = 0, count = 1, ignored;
  const type_t *type = NULL;
  nereid_view_t name = {0};
  bool pointee = false, array = false, good = true;
  for (; !is(reader, ",") && !is(reader, ")"); next(reader)) {
    if (!good || reader->word.size == 0)
      return false;
    if (is(reader, ".ptr"))
      pointee = true;
    else if (is(reader, ".align"))
      good = number_after(reader, pointee ? &ignored : &align);
    else if (is(reader, "["))
      good = array = number_after(reader, &count) && count <= 32764;
    else if (!type)
      type = type_of(reader->word);
    else if (is_name(reader->word))
      name = reader->word;
  }
  align = align ? align : type ? type->bytes : 0;
  if (!good || !type || count == 0 || align == 0 || (align & (align - 1)) || align > 65536)
    return false;
  *offset = (*offset + align - 1) / align * align;
  *out_parameter = (nereid_image_parameter_t){
      .offset = *offset,
      .size = type->bytes * count,
      .name = nereid_arena_copy(reader->arena, name),
      .element = array ? NEREID_ELEMENT_NONE : type->element,
      .is_pointer = pointee,
  };
  *offset += type->bytes * count;
  return true;
}

static bool read_parameters(reader_t *reader, nereid_image_kernel_t *kernel) {
  NEREID_VECTOR(nereid_image_parameter_t) parameters = {0};
  uint32_t offset = 0;
  if (!is(reader, "("))
    return true; /* no parameters at all */
  while (next(reader) && !is(reader, ")")) {
    nereid_image_parameter_t parameter;
    if (!is(reader, ".param"))
      continue;
    next(reader);
    bool good = read_parameter(reader, &offset, &parameter);
    if (good)
      good = nereid_vector_push(reader->arena, &parameters, parameter);
    if (!good)
      return false;
    if (is(reader, ")"))
      break;
  }
  kernel->parameters = parameters.data;
  kernel->n_parameters = parameters.size;
  bool closed = is(reader, ")");
  next(reader);
  return closed;
}

/* Reads "128", "128, 1" or "128, 1, 1" at the current word; missing extents are 1. */
static void read_extents(reader_t *reader, uint32_t extents[3]) {
  extents[1] = extents[2] = 1;
  for (int i = 0; i < 3 && number(reader, &extents[i]); ++i)
    if (!next(reader) || !is(reader, ",") || !next(reader))
      return;
}

/* Reads the directives between the parameters and the body; the current word is the first of them. */
static bool read_directives(reader_t *reader, nereid_image_kernel_t *kernel) {
  while (reader->word.size && !is(reader, "{") && !is(reader, ";")) {
    const bool threads = is(reader, ".reqntid"), registers = is(reader, ".maxnreg");
    const bool limit = is(reader, ".maxntid");
    const bool cluster = is(reader, ".reqnctapercluster");
    next(reader);
    if (registers && !number(reader, &kernel->maxnreg))
      return false;
    if (threads)
      read_extents(reader, kernel->required_threads);
    if (limit)
      read_extents(reader, kernel->max_threads);
    if (cluster)
      read_extents(reader, kernel->required_cluster);
  }
  return reader->word.size > 0;
}

static bool read_version(reader_t *reader, nereid_image_t *image) {
  int32_t major = 0, minor = 0;
  next(reader);
  const char *text = nereid_arena_copy(reader->arena, reader->word);
  char dot;
  if (!text)
    return false;
  const char *at = text;
  for (; *at >= '0' && *at <= '9' && major < 100; ++at)
    major = major * 10 + (*at - '0');
  dot = *at;
  if (dot == '.' && at[1] >= '0' && at[1] <= '9')
    minor = at[1] - '0';
  image->ptx_version = major * 10 + minor;
  return dot == '.';
}

static bool read_target(reader_t *reader, nereid_image_t *image) {
  next(reader);
  image->arch = nereid_arena_copy(reader->arena, reader->word);
  for (size_t i = 3; i < reader->word.size && image->capability < 1000; ++i)
    if (reader->word.data[i] >= '0' && reader->word.data[i] <= '9')
      image->capability = image->capability * 10 + (reader->word.data[i] - '0');
  return image->arch && nereid_view_starts_with(reader->word, nereid_view("sm_"));
}

static bool read_kernel(reader_t *reader, nereid_image_kernel_t *kernel) {
  if (!next(reader))
    return false;
  kernel->name = nereid_arena_copy(reader->arena, reader->word);
  next(reader);
  return kernel->name && read_parameters(reader, kernel) && read_directives(reader, kernel);
}

nereid_status_t nereid_ptx_inspect(nereid_arena_t *arena, nereid_view_t text, nereid_image_t *out_image,
                                   nereid_message_t *message) {
  reader_t reader = {.arena = arena, .at = text.data, .end = text.data + text.size};
  NEREID_VECTOR(nereid_image_kernel_t) kernels = {0};
  *out_image = (nereid_image_t){.kind = NEREID_IMAGE_PTX};
  bool good = true;
  while (good && next(&reader)) {
    nereid_image_kernel_t kernel = {0};
    if (is(&reader, ".version"))
      good = read_version(&reader, out_image);
    else if (is(&reader, ".target") && !out_image->arch)
      good = read_target(&reader, out_image);
    else if (is(&reader, ".entry"))
      good = read_kernel(&reader, &kernel);
    if (good && kernel.name)
      good = nereid_vector_push(arena, &kernels, kernel);
  }
  out_image->kernels = kernels.data;
  out_image->n_kernels = kernels.size;
  if (arena->failed)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  if (!good || !out_image->arch) {
    size_t line = 1;
    for (const char *at = text.data; at < reader.at; ++at)
      line += *at == '\n';
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the PTX is malformed near line %zu", line);
  }
  return NEREID_OK;
}

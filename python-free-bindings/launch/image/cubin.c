/* Reads kernels of a cubin, a 64-bit ELF file. NVIDIA does not document its notes; this reads what launching requires.
 *
 *   symbol   function with bit 4 of st_other set                    a kernel; st_shndx is its .text section
 *   section  .nv.info.<kernel>, sh_info = that .text section        parameters, required threads
 *   section  .nv.info                                               registers and stack of every function, by symbol
 *   section  .nv.shared.<kernel>, sh_info = that .text section      size = static shared memory
 *
 * An .nv.info section is a list of { u8 format; u8 attribute; u16 value or size; [size bytes when format is 4] }. The
 * numbers below are those that ptxas 12.8 and 13.0 write and `cuobjdump -elf` names. */
#include "python-free-bindings/launch/image/image.h"

#include "base/vector.h"

enum {
  FORMAT_BYTES = 4,
  ATTRIBUTE_REQUIRED_THREADS = 0x10, /* three u32 */
  ATTRIBUTE_FRAME_SIZE = 0x11,       /* u32 symbol, u32 bytes */
  ATTRIBUTE_PARAMETER = 0x17,        /* u32, u16 ordinal, u16 offset, u32 with the size from bit 18 */
  ATTRIBUTE_REGISTERS = 0x2f,        /* u32 symbol, u32 count */
  SYMBOL_BYTES = 24,
  SECTION_BYTES = 64,
  FUNCTION = 2,
  KERNEL_BIT = 0x10,
  SYMBOL_TABLE = 2,
  NO_BITS = 8,
};

typedef struct section {
  uint32_t name, type, link, info;
  uint64_t offset, size;
} section_t;

typedef struct reader {
  nereid_arena_t *arena;
  nereid_view_t bytes;
  section_t *sections;
  size_t n_sections;
  section_t names; /* section names */
} reader_t;

static uint64_t load(const char *at, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i)
    value |= (uint64_t)(uint8_t)at[i] << (8 * i);
  return value;
}

static bool inside(const reader_t *reader, uint64_t offset, uint64_t size) {
  return offset <= reader->bytes.size && size <= reader->bytes.size - offset;
}

static nereid_view_t content(const reader_t *reader, const section_t *section) {
  if (section->type == NO_BITS || !inside(reader, section->offset, section->size))
    return nereid_view_of(NULL, 0);
  return nereid_view_of(reader->bytes.data + section->offset, (size_t)section->size);
}

/* Returns the string at `offset` of a string table, "" when it is truncated. */
static const char *string_at(const reader_t *reader, const section_t *table, uint64_t offset) {
  nereid_view_t strings = content(reader, table);
  if (offset >= strings.size || !memchr(strings.data + offset, '\0', strings.size - (size_t)offset))
    return "";
  return strings.data + offset;
}

static bool read_sections(reader_t *reader) {
  const char *header = reader->bytes.data;
  if (reader->bytes.size < 64 || header[4] != 2 || header[5] != 1)
    return false;
  uint64_t offset = load(header + 40, 8), count = load(header + 60, 2), names = load(header + 62, 2);
  if (load(header + 58, 2) != SECTION_BYTES || !inside(reader, offset, count * SECTION_BYTES) || names >= count)
    return false;
  reader->sections = nereid_arena_new(reader->arena, section_t, (size_t)count);
  reader->n_sections = reader->sections ? (size_t)count : 0;
  for (size_t i = 0; i < reader->n_sections; ++i) {
    const char *at = header + offset + i * SECTION_BYTES;
    reader->sections[i] = (section_t){.name = (uint32_t)load(at, 4),
                                      .type = (uint32_t)load(at + 4, 4),
                                      .offset = load(at + 24, 8),
                                      .size = load(at + 32, 8),
                                      .link = (uint32_t)load(at + 40, 4),
                                      .info = (uint32_t)load(at + 44, 4)};
    if (reader->sections[i].type != NO_BITS && !inside(reader, reader->sections[i].offset, reader->sections[i].size))
      return false;
  }
  if (reader->n_sections)
    reader->names = reader->sections[names];
  return reader->n_sections > 0;
}

static bool named(const reader_t *reader, const section_t *section, const char *prefix) {
  return strncmp(string_at(reader, &reader->names, section->name), prefix, strlen(prefix)) == 0;
}

/* One record of an .nv.info section; false at its end or where it is truncated. */
typedef struct record {
  uint8_t attribute;
  nereid_view_t payload; /* empty for values of at most two bytes */
} record_t;

static bool next_record(nereid_view_t *rest, record_t *out_record) {
  if (rest->size < 4)
    return false;
  bool bytes = rest->data[0] == FORMAT_BYTES;
  size_t size = bytes ? (size_t)load(rest->data + 2, 2) : 0;
  if (size > rest->size - 4)
    return false;
  *out_record = (record_t){(uint8_t)rest->data[1], nereid_view_of(rest->data + 4, size)};
  *rest = nereid_view_of(rest->data + 4 + size, rest->size - 4 - size);
  return true;
}

enum { PARAMETER_LIMIT = 2048 }; /* a parameter has at least one byte, and the space at most 32,764 bytes */

static bool read_parameter(reader_t *reader, const char *payload, nereid_image_kernel_t *kernel) {
  size_t ordinal = (size_t)load(payload + 4, 2);
  if (ordinal >= PARAMETER_LIMIT)
    return false;
  nereid_image_parameter_t *parameters = (nereid_image_parameter_t *)kernel->parameters;
  if (!parameters)
    kernel->parameters = parameters = nereid_arena_new(reader->arena, nereid_image_parameter_t, PARAMETER_LIMIT);
  if (!parameters)
    return false;
  parameters[ordinal].offset = (uint32_t)load(payload + 6, 2);
  parameters[ordinal].size = (uint32_t)load(payload + 8, 4) >> 18;
  if (ordinal + 1 > kernel->n_parameters)
    kernel->n_parameters = ordinal + 1;
  return true;
}

static bool read_info(reader_t *reader, const section_t *section, nereid_image_kernel_t *kernel) {
  nereid_view_t rest = content(reader, section);
  record_t record;
  while (next_record(&rest, &record)) {
    if (record.attribute == ATTRIBUTE_PARAMETER && record.payload.size >= 12 &&
        !read_parameter(reader, record.payload.data, kernel))
      return false;
    if (record.attribute == ATTRIBUTE_REQUIRED_THREADS && record.payload.size >= 12)
      for (size_t i = 0; i < 3; ++i)
        kernel->required_threads[i] = (uint32_t)load(record.payload.data + 4 * i, 4);
  }
  for (size_t i = 0; i < kernel->n_parameters; ++i)
    if (kernel->parameters[i].size == 0)
      return false;
  return rest.size == 0;
}

/* Reads registers and stack: the common .nv.info refers to functions by their index in the symbol table. */
static void read_resources(reader_t *reader, const section_t *section, uint32_t symbol, nereid_image_kernel_t *kernel) {
  nereid_view_t rest = content(reader, section);
  record_t record;
  while (next_record(&rest, &record)) {
    if (record.payload.size < 8 || load(record.payload.data, 4) != symbol)
      continue;
    if (record.attribute == ATTRIBUTE_REGISTERS)
      kernel->registers = (uint32_t)load(record.payload.data + 4, 4);
    if (record.attribute == ATTRIBUTE_FRAME_SIZE)
      kernel->stack = (uint32_t)load(record.payload.data + 4, 4);
  }
}

static bool read_kernel(reader_t *reader, uint32_t symbol, uint32_t text, nereid_image_kernel_t *kernel) {
  for (size_t i = 0; i < reader->n_sections; ++i) {
    const section_t *section = &reader->sections[i];
    if (named(reader, section, ".nv.info.") && section->info == text && !read_info(reader, section, kernel))
      return false;
    if (named(reader, section, ".nv.shared.") && section->info == text && section->size <= UINT32_MAX)
      kernel->static_shared = (uint32_t)section->size;
    if (strcmp(string_at(reader, &reader->names, section->name), ".nv.info") == 0)
      read_resources(reader, section, symbol, kernel);
  }
  return true;
}

static bool read_symbols(reader_t *reader, const section_t *table, nereid_image_t *image) {
  NEREID_VECTOR(nereid_image_kernel_t) kernels = {0};
  nereid_view_t symbols = content(reader, table);
  if (table->link >= reader->n_sections)
    return false;
  for (uint32_t i = 0; (i + 1) * (uint64_t)SYMBOL_BYTES <= symbols.size; ++i) {
    const char *at = symbols.data + (size_t)i * SYMBOL_BYTES;
    if ((at[4] & 15) != FUNCTION || !(at[5] & KERNEL_BIT))
      continue;
    nereid_image_kernel_t kernel = {
        .name = nereid_arena_copy(reader->arena,
                                  nereid_view(string_at(reader, &reader->sections[table->link], load(at, 4)))),
        .code = (uint32_t)load(at + 16, 8)};
    bool good = kernel.name && read_kernel(reader, i, (uint32_t)load(at + 6, 2), &kernel);
    if (good)
      good = nereid_vector_push(reader->arena, &kernels, kernel);
    if (!good)
      return false;
  }
  image->kernels = kernels.data;
  image->n_kernels = kernels.size;
  return true;
}

/* Reads e_flags: up to ABI version 7 the SM is in the low byte and bit 11 means "a"; from 8 on the SM is in the second
 * byte and bit 3 means "a" (LLVM's BinaryFormat/ELF.h, EF_CUDA_*). */
static void read_target(reader_t *reader, nereid_image_t *image) {
  uint32_t flags = (uint32_t)load(reader->bytes.data + 48, 4);
  bool old = reader->bytes.data[8] < 8;
  image->capability = (int32_t)(old ? flags & 0xff : flags >> 8 & 0xff);
  image->arch = nereid_arena_format(reader->arena, "sm_%d%s", image->capability, flags & (old ? 0x800 : 8) ? "a" : "");
}

nereid_status_t nereid_cubin_inspect(nereid_arena_t *arena, nereid_view_t bytes, nereid_image_t *out_image,
                                     nereid_message_t *message) {
  reader_t reader = {.arena = arena, .bytes = bytes};
  *out_image = (nereid_image_t){.kind = NEREID_IMAGE_CUBIN};
  bool good = read_sections(&reader);
  if (good)
    read_target(&reader, out_image);
  for (size_t i = 0; good && i < reader.n_sections; ++i)
    if (reader.sections[i].type == SYMBOL_TABLE)
      good = read_symbols(&reader, &reader.sections[i], out_image);
  if (arena->failed)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  if (!good)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the cubin is truncated or malformed");
  return NEREID_OK;
}

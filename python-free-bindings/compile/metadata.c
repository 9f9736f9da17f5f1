/* Collects the metadata for the launcher from the IR.
 *
 *   tt.func public @k(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x"), …)   →   docs/metadata.md
 *
 * Lowering erases the types of arguments, so the signature is computed at ttgir (or ttir) and stored in the text of
 * later stages: as nereid.metadata on the module, as named metadata in LLVM IR, as a comment in PTX. Input at these
 * stages from other compilers has no signature; the launcher then uses the image's parameters. */
#include "dialects/ir.h"
#include "dialects/ttg/tensor_types.h"
#include "dialects/ttng/descriptor_type.h"
#include "session.h"

#include "nereid/dialects/nereid.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/support/descriptor.h"

#include <llvm-c/Core.h>
#include <mlir-c/AffineMap.h>
#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <stdlib.h>

typedef struct text {
  char data[256];
  size_t size;
} text_t;

static void append(MlirStringRef part, void *data) {
  text_t *text = data;
  size_t room = sizeof text->data - 1 - text->size, size = part.length < room ? part.length : room;
  memcpy(text->data + text->size, part.data, size);
  text->size += size;
  text->data[text->size] = 0;
}

/* Integers are signless in metadata. */
static nereid_element_t element_of(MlirType type) {
  text_t text = {0};
  if (mlirTypeIsAInteger(type))
    type = mlirIntegerTypeGet(mlirTypeGetContext(type), mlirIntegerTypeGetWidth(type));
  mlirTypePrint(type, append, &text);
  return nereid_element_parse(nereid_view(text.data));
}

/* --- one parameter --- */

static const char *name_of(MlirValue argument, nereid_arena_t *arena) {
  MlirLocation location = mlirValueGetLocation(argument);
  if (!mlirLocationIsAName(location))
    return NULL;
  MlirStringRef name = mlirIdentifierStr(mlirLocationNameGetName(location));
  return nereid_arena_copy(arena, nereid_view_of(name.data, name.length));
}

/* Returns the dictionary of argument `index`, or a null handle. */
static MlirAttribute attributes_of(MlirOperation function, intptr_t index) {
  MlirAttribute all = nereid_ir_attribute(function, NEREID_ATTR_ARGUMENT_ATTRIBUTES);
  if (mlirAttributeIsNull(all) || !mlirAttributeIsAArray(all) || mlirArrayAttrGetNumElements(all) <= index)
    return (MlirAttribute){NULL};
  return mlirArrayAttrGetElement(all, index);
}

static MlirAttribute attribute_of(MlirAttribute dictionary, const char *name) {
  if (mlirAttributeIsNull(dictionary) || !mlirAttributeIsADictionary(dictionary))
    return (MlirAttribute){NULL};
  return mlirDictionaryAttrGetElementByName(dictionary, mlirStringRefCreateFromCString(name));
}

static int64_t integer_of(MlirAttribute dictionary, const char *name, int64_t fallback) {
  MlirAttribute attribute = attribute_of(dictionary, name);
  bool is_integer = !mlirAttributeIsNull(attribute) && mlirAttributeIsAInteger(attribute);
  return is_integer ? mlirIntegerAttrGetValueInt(attribute) : fallback;
}

static void describe_block(MlirType block, nereid_parameter_t *out) {
  if (!mlirTypeIsARankedTensor(block) || mlirShapedTypeGetRank(block) > NEREID_RANK_LIMIT)
    return;
  out->rank = (int32_t)mlirShapedTypeGetRank(block);
  out->element = element_of(mlirShapedTypeGetElementType(block));
  int64_t sizes[NEREID_RANK_LIMIT];
  nereid_ttg_part_of_tensor(block, out->rank, sizes);
  for (int32_t i = 0; i < out->rank; i++)
    out->block[i] = (int32_t)sizes[i];
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(block);
  if (!mlirAttributeIsNull(encoding) && nereid_ttg_nvmma_shared_attr_isa(encoding)) {
    out->swizzle = (int32_t)nereid_ttg_nvmma_shared_attr_get_swizzling_byte_width(encoding);
    out->fp4_padded = nereid_ttg_nvmma_shared_attr_get_fp4_padded(encoding);
  }
}

static void make_descriptor(nereid_parameter_t *out) {
  out->kind = NEREID_PARAMETER_DESCRIPTOR;
  out->role = NEREID_ROLE_DESCRIPTOR;
  out->size = 128;
}

static void describe_type(MlirType type, nereid_parameter_t *out) {
  if (nereid_tt_ptr_type_isa(type)) {
    out->kind = NEREID_PARAMETER_POINTER;
    out->element = element_of(nereid_tt_ptr_type_get_pointee_type(type));
    out->size = 8;
  } else if (nereid_ttng_is_descriptor_type(type)) {
    make_descriptor(out);
    out->im2col = nereid_ttng_tensordesc_im2col_type_isa(type);
    describe_block(nereid_ttng_descriptor_block(type), out);
  } else {
    out->kind = NEREID_PARAMETER_SCALAR;
    out->element = element_of(type);
    out->size = (uint32_t)nereid_element_size(out->element);
  }
}

/* The type of the descriptor that an argument is: its own, or that of a cast of the pointer; null for others. */
static MlirType descriptor_type(MlirValue argument) {
  if (nereid_ttng_is_descriptor_type(mlirValueGetType(argument)))
    return mlirValueGetType(argument);
  for (MlirOpOperand use = mlirValueGetFirstUse(argument); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation cast = mlirOpOperandGetOwner(use);
    if (nereid_op_kind(cast) == NEREID_OP_TTNG_REINTERPRET_TENSOR_DESCRIPTOR)
      return mlirValueGetType(nereid_ir_result(cast));
  }
  return (MlirType){NULL};
}

/* Whether the type of a descriptor has the swizzle of its tensor map. */
static bool has_swizzle(MlirType type) {
  if (mlirTypeIsNull(type))
    return false;
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(nereid_ttng_descriptor_block(type));
  return !mlirAttributeIsNull(encoding) && nereid_ttg_nvmma_shared_attr_isa(encoding);
}

/* Reads from nereid.descriptor the properties that the type does not contain. Where both contain one the type counts:
 * it may have been edited. */
static void describe_descriptor(MlirAttribute attribute, MlirType type, nereid_parameter_t *out) {
  if (mlirAttributeIsNull(attribute) || !nereid_nereid_descriptor_attr_isa(attribute))
    return;
  if (!has_swizzle(type))
    out->swizzle = nereid_nereid_descriptor_attr_get_swizzle(attribute);
  out->fp4_padded = nereid_nereid_descriptor_attr_get_fp4_padded(attribute);
  out->nan_padding = nereid_nereid_descriptor_attr_get_nan_padding(attribute);
  if (!mlirTypeIsNull(type))
    return;
  MlirAttribute block = nereid_nereid_descriptor_attr_get_block(attribute);
  intptr_t rank = mlirDenseArrayGetNumElements(block);
  out->element = element_of(nereid_nereid_descriptor_attr_get_element(attribute));
  out->rank = rank <= NEREID_RANK_LIMIT ? (int32_t)rank : 0;
  for (int32_t i = 0; i < out->rank; i++)
    out->block[i] = mlirDenseI32ArrayGetElement(block, i);
}

static void describe_role(MlirAttribute attribute, nereid_parameter_t *out) {
  static const nereid_parameter_role_t roles[] = {[NEREID_NEREID_ROLE_KIND_DESCRIPTOR] = NEREID_ROLE_DESCRIPTOR,
                                                  [NEREID_NEREID_ROLE_KIND_BASE] = NEREID_ROLE_BASE,
                                                  [NEREID_NEREID_ROLE_KIND_SHAPE] = NEREID_ROLE_SHAPE,
                                                  [NEREID_NEREID_ROLE_KIND_STRIDE] = NEREID_ROLE_STRIDE,
                                                  [NEREID_NEREID_ROLE_KIND_PADDING] = NEREID_ROLE_PADDING};
  if (mlirAttributeIsNull(attribute) || !nereid_nereid_role_attr_isa(attribute))
    return;
  nereid_nereid_role_kind_t kind = nereid_nereid_role_attr_get_kind(attribute);
  out->role = kind <= NEREID_NEREID_ROLE_KIND_PADDING ? roles[kind] : NEREID_ROLE_ARGUMENT;
  out->group = nereid_nereid_role_attr_get_group(attribute);
  out->dimension = nereid_nereid_role_attr_get_dim(attribute);
}

static bool is_named_part(const nereid_parameter_t *part, const nereid_parameter_t *descriptor, bool is_shape,
                          size_t dimension) {
  return part->name &&
         nereid_descriptor_names_part(mlirStringRefCreateFromCString(part->name),
                                      mlirStringRefCreateFromCString(descriptor->name), is_shape, (int)dimension);
}

/* Adds the shape and strides that follow a !tt.tensordesc and have its name to its group. A pointer to a tensor map
 * has none. Returns the number of parameters in the group. */
static size_t join_group(MlirBlock entry, nereid_parameter_t *parameters, size_t count, size_t index, int32_t group) {
  nereid_parameter_t *descriptor = &parameters[index];
  const bool has_parts = nereid_ttng_is_descriptor_type(mlirValueGetType(mlirBlockGetArgument(entry, (intptr_t)index)));
  size_t rank = has_parts ? (size_t)descriptor->rank : 0, next = index + 1;
  if (descriptor->im2col)
    rank = (size_t)nereid_argument_parts(entry, (intptr_t)index) / 2;
  descriptor->group = group;
  for (size_t i = 0; i < 2 * rank && next < count; i++, next++) {
    nereid_element_t expected = i < rank ? NEREID_ELEMENT_I32 : NEREID_ELEMENT_I64;
    nereid_parameter_t *part = &parameters[next];
    if (part->kind != NEREID_PARAMETER_SCALAR || part->element != expected || part->group >= 0 ||
        (descriptor->name && !is_named_part(part, descriptor, i < rank, i % rank)))
      break;
    part->role = i < rank ? NEREID_ROLE_SHAPE : NEREID_ROLE_STRIDE;
    part->group = group;
    part->dimension = (int32_t)(i % rank);
  }
  return next - index;
}

static void make_groups(MlirBlock entry, nereid_parameter_t *parameters, size_t count) {
  int32_t group = 0;
  for (size_t i = 0; i < count; i++)
    if (parameters[i].group >= group)
      group = parameters[i].group + 1;
  for (size_t i = 0; i < count;)
    i += parameters[i].role == NEREID_ROLE_DESCRIPTOR && parameters[i].group < 0
             ? join_group(entry, parameters, count, i, group++)
             : 1;
}

static void describe_parameter(MlirOperation function, MlirValue argument, intptr_t index, nereid_arena_t *arena,
                               nereid_parameter_t *out) {
  MlirAttribute attributes = attributes_of(function, index), tma = attribute_of(attributes, NEREID_ATTR_TMA_DESCRIPTOR);
  *out = (nereid_parameter_t){.name = name_of(argument, arena), .group = -1, .dimension = -1};
  out->divisibility = (uint32_t)integer_of(attributes, "tt.divisibility", 1);
  describe_type(mlirValueGetType(argument), out);
  if (!mlirAttributeIsNull(tma) && mlirAttributeIsAInteger(tma) && mlirIntegerAttrGetValueInt(tma) == 1 &&
      mlirTypeIsAInteger(mlirAttributeGetType(tma)) && mlirIntegerTypeGetWidth(mlirAttributeGetType(tma)) == 32)
    make_descriptor(out);
  MlirType descriptor = descriptor_type(argument);
  if (out->role == NEREID_ROLE_DESCRIPTOR && !mlirTypeIsNull(descriptor))
    describe_block(nereid_ttng_descriptor_block(descriptor), out);
  describe_descriptor(attribute_of(attributes, "nereid.descriptor"), descriptor, out);
  describe_role(attribute_of(attributes, "nereid.role"), out);
}

/* Reads nereid.grid of the kernel. */
static void collect_grid(nereid_compilation_t *compilation) {
  nereid_arena_t *arena = &compilation->scratch;
  nereid_metadata_t *out = &compilation->metadata;
  MlirOperation function = nereid_kernel_function(compilation);
  MlirAttribute grid =
      mlirOperationIsNull(function) ? (MlirAttribute){NULL} : nereid_ir_attribute(function, "nereid.grid");
  if (mlirAttributeIsNull(grid) || !nereid_nereid_grid_attr_isa(grid))
    return;
  nereid_text_builder_t text = {.arena = arena};
  MlirAttribute arguments = nereid_nereid_grid_attr_get_args(grid);
  size_t count = (size_t)mlirDenseArrayGetNumElements(arguments);
  int32_t *positions = nereid_arena_new(arena, int32_t, count);
  mlirAffineMapPrint(mlirAffineMapAttrGetValue(nereid_nereid_grid_attr_get_map(grid)), nereid_text_builder_append,
                     &text);
  for (size_t i = 0; positions && i < count; i++)
    positions[i] = mlirDenseI32ArrayGetElement(arguments, (intptr_t)i);
  out->grid_map = text.data;
  out->n_grid_arguments = count;
  out->grid_arguments = positions;
  out->grid_per_sm = nereid_nereid_grid_attr_get_per_sm(grid);
}

static nereid_status_t collect_signature(nereid_compilation_t *compilation) {
  nereid_metadata_t *out = &compilation->metadata;
  nereid_arena_t *arena = &compilation->scratch;
  MlirOperation function = nereid_kernel_function(compilation);
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  size_t count = (size_t)mlirBlockGetNumArguments(entry);
  nereid_parameter_t *parameters = nereid_arena_new(arena, nereid_parameter_t, count);
  if (!parameters)
    return NEREID_ERROR_MEMORY;
  for (size_t i = 0; i < count; i++)
    describe_parameter(function, mlirBlockGetArgument(entry, (intptr_t)i), (intptr_t)i, arena, &parameters[i]);
  make_groups(entry, parameters, count);
  out->signature = true;
  out->n_parameters = count;
  out->parameters = parameters;
  collect_grid(compilation);
  return NEREID_OK;
}

/* --- all of it --- */

static void take_settings(nereid_compilation_t *compilation) {
  const nereid_settings_t *settings = &compilation->settings;
  nereid_metadata_t *out = &compilation->metadata;
  out->name = compilation->result->kernel;
  out->arch = settings->target.name;
  out->capability = (int32_t)settings->target.capability;
  out->ptx_version = (int32_t)settings->target.ptx_version;
  out->compiler = nereid_compiler_version();
  out->fp_fusion = settings->fp_fusion;
  if (settings->num_warps && settings->num_warps != out->num_warps)
    out->num_warps = out->total_num_warps = settings->num_warps;
  if (settings->num_ctas)
    out->num_ctas = settings->num_ctas;
  if (settings->num_stages)
    out->num_stages = settings->num_stages;
  if (settings->maxnreg)
    out->maxnreg = settings->maxnreg;
  out->cooperative |= settings->cooperative;
  out->pdl |= settings->pdl;
}

void nereid_metadata_update(nereid_compilation_t *compilation) {
  nereid_metadata_t *out = &compilation->metadata;
  MlirOperation module = compilation->module;
  int64_t value;
  if (mlirOperationIsNull(module))
    return;
  if (nereid_settings_integer(module, "ttg.shared", &value))
    out->shared = (uint64_t)value;
  if (nereid_settings_integer(module, "ttg.shared_bound", &value)) {
    compilation->result->is_shared_placed = true;
    compilation->result->shared_bytes = out->shared;
    compilation->result->shared_bound = (uint64_t)value;
  }
  if (nereid_settings_integer(module, "ttg.tensor_registers", &value))
    out->tensor_registers = (int32_t)value;
  if (nereid_settings_integer(module, "ttg.num-warps", &value))
    out->num_warps = out->total_num_warps = (int32_t)value;
  if (nereid_settings_integer(module, "ttg.total-num-warps", &value))
    out->total_num_warps = (int32_t)value;
  if (nereid_settings_integer(module, "ttg.maxnreg", &value))
    out->maxnreg = (int32_t)value;
  if (nereid_settings_integer(module, "ttg.num-ctas", &value))
    out->num_ctas = (int32_t)value;
  if (nereid_settings_integer(module, NEREID_ATTR_GLOBAL_SCRATCH_SIZE, &value))
    out->global_scratch_size = (uint64_t)value;
  if (nereid_settings_integer(module, "ttg.global_scratch_memory_alignment", &value))
    out->global_scratch_align = (uint64_t)value;
  if (nereid_settings_integer(module, "ttg.profile_scratch_memory_size", &value))
    out->profile_scratch_size = (uint64_t)value;
  if (nereid_settings_integer(module, "ttg.profile_scratch_memory_alignment", &value))
    out->profile_scratch_align = (uint64_t)value;
}

/* Returns the metadata that an earlier compilation stored in text of a late stage; empty when there is none. */
static nereid_view_t find_left(nereid_compilation_t *compilation) {
  nereid_ptx_facts_t facts;
  if (compilation->stage == NEREID_STAGE_LLVM) {
    MlirAttribute attribute = nereid_ir_attribute(compilation->module, NEREID_METADATA_KEY);
    if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAString(attribute))
      return nereid_view_of(NULL, 0);
    MlirStringRef text = mlirStringAttrGetValue(attribute);
    return nereid_view_of(text.data, text.length);
  }
  if (compilation->stage == NEREID_STAGE_PTX)
    return nereid_ptx_read(compilation->ptx, &compilation->scratch, &facts) ? facts.metadata : nereid_view_of(NULL, 0);
  if (compilation->stage == NEREID_STAGE_LL &&
      LLVMGetNamedMetadataNumOperands(compilation->llvm, NEREID_METADATA_KEY) == 1) {
    LLVMValueRef node = NULL, string = NULL;
    unsigned size = 0;
    LLVMGetNamedMetadataOperands(compilation->llvm, NEREID_METADATA_KEY, &node);
    if (LLVMGetMDNodeNumOperands(node) == 1) {
      LLVMGetMDNodeOperands(node, &string);
      const char *text = string ? LLVMGetMDString(string, &size) : NULL;
      return nereid_view_of(text, text ? size : 0);
    }
  }
  return nereid_view_of(NULL, 0);
}

/* Returns the product of the numbers in attribute `key` of an LLVM function, "128,1,1"; 0 when it has none. */
static unsigned product_of(LLVMValueRef function, const char *key) {
  unsigned size, product = 1;
  LLVMAttributeRef attribute =
      LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, key, (unsigned)strlen(key));
  const char *at = attribute ? LLVMGetStringAttributeValue(attribute, &size) : NULL;
  for (char *end = NULL; at && *at; at = *end == ',' ? end + 1 : end) {
    product *= (unsigned)strtoul(at, &end, 10);
    if (end == at)
      return 0;
  }
  return at ? product : 0;
}

/* Reads the threads and registers of a kernel of another compiler from its attributes. */
static void read_limits(nereid_compilation_t *compilation, unsigned *out_threads, unsigned *out_registers) {
  nereid_ptx_facts_t facts;
  *out_threads = *out_registers = 0;
  if (compilation->stage == NEREID_STAGE_LL) {
    LLVMValueRef function = LLVMGetNamedFunction(compilation->llvm, compilation->result->kernel);
    *out_threads = product_of(function, "nvvm.reqntid");
    *out_registers = product_of(function, "nvvm.maxnreg");
  } else if (compilation->stage == NEREID_STAGE_PTX &&
             nereid_ptx_read(compilation->ptx, &compilation->scratch, &facts)) {
    for (size_t i = 0; i < facts.n_entries; i++)
      if (nereid_view_equal(facts.entries[i].name, nereid_view(compilation->result->kernel))) {
        *out_threads = facts.entries[i].threads;
        *out_registers = facts.entries[i].maxnreg;
      }
  }
}

static void guess(nereid_compilation_t *compilation) {
  unsigned threads, registers;
  read_limits(compilation, &threads, &registers);
  if (threads)
    compilation->metadata.num_warps = compilation->metadata.total_num_warps = (int32_t)(threads + 31) / 32;
  compilation->metadata.maxnreg = (int32_t)registers;
  nereid_metadata_update(compilation);
  if (!compilation->options.remarks && !compilation->options.remark_handler)
    return;
  nereid_report_at(&compilation->compiler->report, NEREID_REPORT_REMARK, compilation->name, 0, 0,
                   "no metadata of an earlier compilation: the kernel has no signature, and its dynamic shared memory "
                   "is assumed to be %llu bytes",
                   (unsigned long long)compilation->metadata.shared);
}

/* Late stages are compiled for fixed numbers of warps and CTAs, and PTX for a number of registers; an option may only
 * repeat these. */
static nereid_status_t check_repeated(nereid_compilation_t *compilation) {
  const nereid_settings_t *settings = &compilation->settings;
  const nereid_metadata_t *said = &compilation->metadata;
  const struct {
    const char *name;
    int32_t asked, said;
    nereid_stage_t since;
  } rows[] = {{"num-warps", settings->num_warps, said->num_warps, NEREID_STAGE_LL},
              {"num-ctas", settings->num_ctas, said->num_ctas, NEREID_STAGE_LL},
              {"maxnreg", settings->maxnreg, said->maxnreg, NEREID_STAGE_PTX}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (!rows[i].asked || rows[i].asked == rows[i].said || compilation->stage < rows[i].since)
      continue;
    nereid_report_at(&compilation->compiler->report, NEREID_REPORT_ERROR, compilation->name, 0, 0,
                     "%s %d contradicts this %s, which is compiled for %d%s", rows[i].name, rows[i].asked,
                     nereid_stage_name(compilation->stage), rows[i].said, rows[i].said ? "" : " (no limit)");
    return NEREID_ERROR_PROGRAM;
  }
  return NEREID_OK;
}

nereid_status_t nereid_metadata_collect(nereid_compilation_t *compilation) {
  nereid_status_t status = NEREID_OK;
  nereid_message_t message;
  if (compilation->stage <= NEREID_STAGE_TTGIR) {
    status = collect_signature(compilation);
    nereid_metadata_update(compilation);
  } else {
    nereid_view_t left = find_left(compilation);
    if (!left.size ||
        nereid_metadata_parse(&compilation->scratch, left, &compilation->metadata, &message) != NEREID_OK) {
      nereid_metadata_initialize(&compilation->metadata);
      guess(compilation);
    }
    if (compilation->stage == NEREID_STAGE_LLVM)
      collect_grid(compilation); /* which may have been edited */
    nereid_metadata_update(compilation);
    compilation->settings.fp_fusion &= compilation->metadata.fp_fusion;
    status = check_repeated(compilation);
  }
  take_settings(compilation);
  return status;
}

nereid_status_t nereid_metadata_leave(nereid_compilation_t *compilation) {
  const char *line = nereid_metadata_line(compilation);
  if (!line)
    return NEREID_ERROR_MEMORY;
  MlirContext context = mlirOperationGetContext(compilation->module);
  mlirOperationSetDiscardableAttributeByName(compilation->module, mlirStringRefCreateFromCString(NEREID_METADATA_KEY),
                                             mlirStringAttrGet(context, mlirStringRefCreateFromCString(line)));
  return NEREID_OK;
}

const char *nereid_metadata_line(nereid_compilation_t *compilation) {
  nereid_view_t text;
  if (nereid_metadata_print(&compilation->scratch, &compilation->metadata, &text) != NEREID_OK)
    return NULL;
  char *line = nereid_arena_copy(&compilation->scratch, text);
  for (char *at = line; at && *at; at++)
    if (*at == '\n')
      *at = at[1] ? ' ' : 0;
  return line;
}

/* Binds arguments to parameters.
 *
 *   signature   a: tensordesc<f16[128x64]> | a: shape 0 | a: shape 1 | a: stride 0 | a: stride 1 | n: i32
 *   --arg a=f16[4096x512]:rand --arg n=7
 *   slots       map of tensor 0            | 4096       | 512        | 512         | 1           | 7
 *
 * First every SPEC is assigned to its parameter. Then unassigned parameters of a descriptor's group take their values
 * from the descriptor's tensor. A parameter that is still unassigned is an error, as is an integer that is not a
 * multiple of its tt.divisibility. */
#include "tools/nereid/run/bind.h"

#include "tools/nereid/run/spec.h"

#include <inttypes.h>

#define REFUSE(...) nereid_message_set(message, NEREID_ERROR_ARGUMENT, __VA_ARGS__)

typedef struct binder {
  nereid_arena_t *arena;
  tool_job_t *job;
  uint64_t seed;
  bool *bound; /* per parameter */
  nereid_message_t *message;
} binder_t;

static const nereid_parameter_t *parameter_of(const tool_job_t *job, size_t i) {
  return &job->metadata.parameters[i];
}

/* Returns whether the caller can refer to the parameter by `name`. Only arguments and descriptors qualify; parameters
 * filled from a descriptor have its name but are not candidates. */
static bool is_named(const nereid_parameter_t *parameter, nereid_view_t name) {
  bool candidate = parameter->role == NEREID_ROLE_ARGUMENT || parameter->role == NEREID_ROLE_DESCRIPTOR ||
                   parameter->role == NEREID_ROLE_BASE;
  return candidate && parameter->name && nereid_view_equal(nereid_view(parameter->name), name);
}

static bool is_position(nereid_view_t name, size_t *out_position) {
  *out_position = 0;
  for (size_t i = 0; i < name.size; ++i) {
    if (name.data[i] < '0' || name.data[i] > '9' || *out_position > 1 << 20)
      return false;
    *out_position = *out_position * 10 + (size_t)(name.data[i] - '0');
  }
  return name.size > 0;
}

static nereid_status_t find_parameter(const tool_job_t *job, nereid_view_t name, size_t *out_parameter,
                                      nereid_message_t *message) {
  size_t n = job->metadata.n_parameters, found = 0;
  if (is_position(name, out_parameter)) {
    if (*out_parameter < n)
      return NEREID_OK;
    return REFUSE("kernel '%s' has %zu parameters; there is no position %zu", job->metadata.name, n, *out_parameter);
  }
  for (size_t i = 0; i < n; ++i)
    if (is_named(parameter_of(job, i), name)) {
      *out_parameter = i;
      ++found;
    }
  if (found == 1)
    return NEREID_OK;
  if (found > 1)
    return REFUSE("%zu arguments of kernel '%s' are named '%.*s': specify the position", found, job->metadata.name,
                  (int)name.size, name.data);
  bool any_name = false;
  for (size_t i = 0; i < n; ++i)
    any_name |= parameter_of(job, i)->name != NULL;
  return REFUSE("kernel '%s' has no argument '%.*s'%s", job->metadata.name, (int)name.size, name.data,
                any_name ? "" : "; its parameters have no names: specify positions, starting at 0");
}

static const char *label(binder_t *binder, size_t i) {
  const nereid_parameter_t *parameter = parameter_of(binder->job, i);
  const char *type = nereid_parameter_type_print(binder->arena, parameter);
  const char *text =
      parameter->name
          ? nereid_arena_format(binder->arena, "argument %zu '%s' (%s)", i, parameter->name, type)
          : nereid_arena_format(binder->arena, "argument %zu (%s, %" PRIu32 " bytes)", i, type, parameter->size);
  return text ? text : "argument";
}

/* Prefixes a message with "argument 2 'n' (i32): ". */
static nereid_status_t at(binder_t *binder, size_t i, nereid_status_t status, const nereid_message_t *reason) {
  return nereid_message_set(binder->message, status, "%s: %s", label(binder, i), reason->text);
}

/* Returns the type of a scalar for which the metadata contains only a size. */
static nereid_element_t guess_element(const tool_spec_t *spec, uint32_t size) {
  bool whole = spec->kind == TOOL_SPEC_INTEGER;
  if (spec->element)
    return nereid_element_size(spec->element) == size ? spec->element : NEREID_ELEMENT_NONE;
  switch (size) {
  case 1:
    return whole ? NEREID_ELEMENT_I8 : NEREID_ELEMENT_NONE;
  case 2:
    return whole ? NEREID_ELEMENT_I16 : NEREID_ELEMENT_NONE;
  case 4:
    return whole ? NEREID_ELEMENT_I32 : NEREID_ELEMENT_F32;
  case 8:
    return whole ? NEREID_ELEMENT_I64 : NEREID_ELEMENT_F64;
  default:
    return NEREID_ELEMENT_NONE;
  }
}

static nereid_status_t bind_scalar(binder_t *binder, size_t i, const tool_spec_t *spec) {
  const nereid_parameter_t *parameter = parameter_of(binder->job, i);
  tool_slot_t *slot = &binder->job->slots[i];
  nereid_message_t reason = {0};
  slot->kind = TOOL_SLOT_SCALAR;
  slot->element =
      parameter->kind == NEREID_PARAMETER_SCALAR ? parameter->element : guess_element(spec, parameter->size);
  if (!slot->element) {
    nereid_message_set(&reason, NEREID_OK, "specify the type, as in f16:0.5");
    return at(binder, i, NEREID_ERROR_ARGUMENT, &reason);
  }
  nereid_status_t status = tool_spec_scalar(spec, slot->element, &slot->bits, &reason);
  return status ? at(binder, i, status, &reason) : NEREID_OK;
}

static nereid_status_t add_tensor(binder_t *binder, size_t i, tool_spec_t *spec, size_t *out_tensor) {
  const nereid_parameter_t *parameter = parameter_of(binder->job, i);
  tool_job_t *job = binder->job;
  nereid_message_t reason = {0};
  if (spec->fill == TOOL_FILL_FILE && !spec->element)
    spec->element = parameter->element; /* a u2 file may contain bf16 */
  nereid_status_t status =
      tool_spec_tensor(binder->arena, spec, binder->seed, (uint32_t)i, &job->tensors[job->n_tensors], &reason);
  if (status)
    return at(binder, i, status, &reason);
  if (parameter->element && parameter->element != job->tensors[job->n_tensors].element) {
    nereid_message_set(&reason, NEREID_OK, "expected a tensor of %s, not of %s",
                       nereid_element_name(parameter->element),
                       nereid_element_name(job->tensors[job->n_tensors].element));
    return at(binder, i, NEREID_ERROR_ARGUMENT, &reason);
  }
  job->tensor_names[job->n_tensors] = parameter->name ? parameter->name : nereid_arena_format(binder->arena, "%zu", i);
  *out_tensor = job->n_tensors++;
  return NEREID_OK;
}

static nereid_status_t bind_pointer(binder_t *binder, size_t i, tool_spec_t *spec) {
  tool_slot_t *slot = &binder->job->slots[i];
  slot->kind = TOOL_SLOT_NULL;
  if (spec->kind == TOOL_SPEC_NULL)
    return NEREID_OK;
  slot->kind = TOOL_SLOT_TENSOR;
  return add_tensor(binder, i, spec, &slot->tensor);
}

/* Chooses the box of a map: the kernel's tile if it has one, which the SPEC may repeat, else the SPEC's box. */
static nereid_status_t choose_box(const nereid_parameter_t *parameter, const tool_spec_t *spec,
                                  nereid_tma_request_t *request, nereid_message_t *message) {
  if (!parameter->rank && spec->box_rank != request->rank)
    return REFUSE("the kernel does not specify its tile: specify it with the tensor, as in f16[4096x4096]:rand/128x64");
  for (uint32_t i = 0; !parameter->rank && i < spec->box_rank; ++i)
    request->box[i] = (uint32_t)spec->box[i];
  if (spec->has_swizzle && parameter->rank && spec->swizzle != request->swizzle)
    return REFUSE("the swizzle after / is not the kernel's, which is %u bytes", request->swizzle);
  if (spec->has_swizzle)
    request->swizzle = spec->swizzle;
  if (!parameter->rank)
    return NEREID_OK;
  bool same = !spec->box_rank || spec->box_rank == (uint32_t)parameter->rank;
  for (uint32_t i = 0; same && i < spec->box_rank; ++i)
    same = spec->box[i] == parameter->block[i];
  if (!same)
    return REFUSE("the box after / is not the kernel's tile");
  nereid_tma_box_of(request->rank, parameter->block, nereid_tma_element_bits(request->element), request->swizzle,
                    parameter->fp4_padded, request->box);
  return NEREID_OK;
}

static nereid_status_t make_request(const nereid_parameter_t *parameter, const tool_spec_t *spec,
                                    const tool_tensor_t *tensor, nereid_tma_request_t *request,
                                    nereid_message_t *message) {
  uint64_t stride = nereid_element_size(tensor->element);
  *request = (nereid_tma_request_t){
      .rank = tensor->rank, .swizzle = (uint32_t)parameter->swizzle, .nan_padding = parameter->nan_padding};
  if (parameter->im2col)
    return REFUSE("the kernel reads it in im2col mode, for which a tensor map has corners that no argument specifies");
  if (tensor->rank < 1 || tensor->rank > NEREID_TMA_RANK ||
      (parameter->rank && (uint32_t)parameter->rank != tensor->rank))
    return REFUSE("expected a tensor of rank %d, not %u", parameter->rank ? (int)parameter->rank : 5, tensor->rank);
  if (!nereid_tma_element_of(tensor->element, &request->element))
    return REFUSE("tensor maps do not support elements of type %s", nereid_element_name(tensor->element));
  if (parameter->fp4_padded)
    request->element = NEREID_TMA_U4_PADDED;
  for (uint32_t i = tensor->rank; i-- > 0; stride *= tensor->shape[i]) {
    request->shape[i] = tensor->shape[i] * (parameter->fp4_padded && i + 1 == tensor->rank ? 2 : 1);
    request->strides[i] = stride;
  }
  nereid_status_t status = choose_box(parameter, spec, request, message);
  request->address = 128; /* the engine aligns its buffers; all other requirements can be checked here */
  return status ? status : nereid_tma_validate(request, message);
}

static nereid_status_t bind_descriptor(binder_t *binder, size_t i, tool_spec_t *spec) {
  const nereid_parameter_t *parameter = parameter_of(binder->job, i);
  tool_slot_t *slot = &binder->job->slots[i];
  nereid_message_t reason = {0};
  nereid_status_t status = add_tensor(binder, i, spec, &slot->tensor);
  if (status)
    return status;
  slot->kind = TOOL_SLOT_DESCRIPTOR;
  status = make_request(parameter, spec, &binder->job->tensors[slot->tensor], &slot->request, &reason);
  return status ? at(binder, i, status, &reason) : NEREID_OK;
}

static nereid_status_t bind_parameter(binder_t *binder, size_t i, tool_spec_t *spec) {
  const nereid_parameter_t *parameter = parameter_of(binder->job, i);
  bool tensor = spec->kind == TOOL_SPEC_TENSOR || spec->kind == TOOL_SPEC_NULL;
  switch (parameter->kind) {
  case NEREID_PARAMETER_SCALAR:
    return bind_scalar(binder, i, spec);
  case NEREID_PARAMETER_POINTER:
    return bind_pointer(binder, i, spec);
  case NEREID_PARAMETER_DESCRIPTOR:
    return bind_descriptor(binder, i, spec);
  case NEREID_PARAMETER_TENSOR:
  case NEREID_PARAMETER_OPAQUE:
    break;
  }
  return tensor && parameter->size == 8 ? bind_pointer(binder, i, spec) : bind_scalar(binder, i, spec);
}

static nereid_status_t bind_argument(binder_t *binder, const char *argument) {
  nereid_message_t *message = binder->message;
  const char *equals = strchr(argument, '=');
  tool_spec_t spec;
  size_t i;
  if (!equals)
    return REFUSE("'%s': expected an argument NAME=SPEC, such as n=1024 or x=f32[1024]:rand", argument);
  nereid_view_t name = nereid_view_of(argument, (size_t)(equals - argument));
  nereid_status_t status = find_parameter(binder->job, name, &i, message);
  if (!status)
    status = tool_spec_parse(binder->arena, equals + 1, &spec, message);
  if (status)
    return status;
  if (binder->bound[i])
    return REFUSE("%s is given twice", label(binder, i));
  binder->bound[i] = true;
  return bind_parameter(binder, i, &spec);
}

/* Returns the tensor of a parameter group; false when its descriptor was not given. */
static bool group_tensor(const binder_t *binder, int32_t group, size_t *out_tensor) {
  for (size_t i = 0; i < binder->job->n_slots; ++i) {
    const nereid_parameter_t *parameter = parameter_of(binder->job, i);
    bool head = parameter->role == NEREID_ROLE_DESCRIPTOR || parameter->role == NEREID_ROLE_BASE;
    if (head && parameter->group == group && binder->bound[i]) {
      *out_tensor = binder->job->slots[i].tensor;
      return binder->job->slots[i].kind != TOOL_SLOT_NULL;
    }
  }
  return false;
}

static uint64_t stride_of(const tool_tensor_t *tensor, uint32_t dimension) {
  uint64_t stride = 1;
  for (uint32_t i = tensor->rank; i-- > dimension + 1;)
    stride *= tensor->shape[i];
  return stride;
}

/* Fills a shape, stride or padding parameter from its group. */
static bool bind_from_group(binder_t *binder, size_t i) {
  const nereid_parameter_t *parameter = parameter_of(binder->job, i);
  tool_slot_t *slot = &binder->job->slots[i];
  size_t index;
  if (parameter->group < 0 || !group_tensor(binder, parameter->group, &index))
    return false;
  const tool_tensor_t *tensor = &binder->job->tensors[index];
  bool padding = parameter->role == NEREID_ROLE_PADDING, shape = parameter->role == NEREID_ROLE_SHAPE;
  if (!padding && (uint32_t)parameter->dimension >= tensor->rank)
    return false;
  slot->kind = TOOL_SLOT_SCALAR;
  slot->element = parameter->kind == NEREID_PARAMETER_SCALAR ? parameter->element
                  : parameter->size == 4                     ? NEREID_ELEMENT_I32
                                                             : NEREID_ELEMENT_I64;
  uint64_t value = padding ? parameter->nan_padding
                   : shape ? tensor->shape[parameter->dimension]
                           : stride_of(tensor, (uint32_t)parameter->dimension);
  nereid_element_write_integer(slot->element, &slot->bits, (int64_t)value);
  binder->bound[i] = true;
  return true;
}

static const char scratch_hint[] = "; if these are the scratch pointers of Triton's ABI, pass --abi triton";

/* Returns whether exactly the last two parameters are missing and could be scratch pointers. */
static bool lacks_scratch(const binder_t *binder) {
  const size_t n = binder->job->n_slots;
  if (binder->job->metadata.abi != NEREID_ABI_PTX || n < 2)
    return false;
  for (size_t i = 0; i < n; ++i)
    if (binder->bound[i] != (i + 2 < n) || (i + 2 >= n && parameter_of(binder->job, i)->size != 8))
      return false;
  return true;
}

static nereid_status_t complete(binder_t *binder) {
  nereid_message_t *message = binder->message;
  const char *missing = NULL;
  for (size_t i = 0; i < binder->job->n_slots; ++i) {
    if (binder->bound[i] || bind_from_group(binder, i))
      continue;
    if (parameter_of(binder->job, i)->group >= 0 && parameter_of(binder->job, i)->role > NEREID_ROLE_BASE)
      continue; /* its descriptor is missing and is reported instead */
    missing = missing ? nereid_arena_format(binder->arena, "%s, %s", missing, label(binder, i)) : label(binder, i);
  }
  if (binder->arena->failed)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  return missing ? REFUSE("missing arguments: %s%s", missing, lacks_scratch(binder) ? scratch_hint : "") : NEREID_OK;
}

/* Checks the divisibility that the compiler assumed for scalars, as the launcher does. Tensors get sufficiently aligned
 * addresses. The divisors are powers of two. */
static nereid_status_t check_divisibility(binder_t *binder) {
  for (size_t i = 0; i < binder->job->n_slots; ++i) {
    const tool_slot_t *slot = &binder->job->slots[i];
    const uint32_t divisor = parameter_of(binder->job, i)->divisibility;
    const bool is_checked = slot->kind == TOOL_SLOT_SCALAR && !nereid_element_is_float(slot->element) && divisor &&
                            (divisor & (divisor - 1)) == 0;
    if (!is_checked || (slot->bits & (divisor - 1)) == 0)
      continue;
    nereid_message_t reason = {0};
    nereid_message_set(&reason, NEREID_OK,
                       "%" PRId64 " is not a multiple of %" PRIu32
                       ", which the kernel requires (tt.divisibility): pass a multiple,"
                       " or compile the kernel without that attribute on the argument",
                       nereid_element_read_integer(slot->element, &slot->bits), divisor);
    return at(binder, i, NEREID_ERROR_ARGUMENT, &reason);
  }
  return NEREID_OK;
}

nereid_status_t tool_bind(nereid_arena_t *arena, const tool_list_t *arguments, uint64_t seed, tool_job_t *job,
                          nereid_message_t *message) {
  size_t n = job->metadata.n_parameters;
  binder_t binder = {.arena = arena, .job = job, .seed = seed, .message = message};
  job->n_slots = n;
  job->slots = nereid_arena_new(arena, tool_slot_t, n);
  job->tensors = nereid_arena_new(arena, tool_tensor_t, n);
  job->tensor_names = nereid_arena_new(arena, const char *, n);
  binder.bound = nereid_arena_new(arena, bool, n);
  if (arena->failed)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  for (size_t i = 0; i < arguments->size; ++i) {
    nereid_status_t status = bind_argument(&binder, arguments->items[i]);
    if (status)
      return status;
  }
  nereid_status_t status = complete(&binder);
  return status ? status : check_divisibility(&binder);
}

nereid_status_t tool_bind_find(const tool_job_t *job, nereid_view_t name, size_t *out_tensor,
                               nereid_message_t *message) {
  size_t i;
  nereid_status_t status = find_parameter(job, name, &i, message);
  if (status)
    return status;
  const tool_slot_t *slot = &job->slots[i];
  if (slot->kind != TOOL_SLOT_TENSOR && slot->kind != TOOL_SLOT_DESCRIPTOR)
    return nereid_message_set(message, NEREID_ERROR_NOT_FOUND, "argument '%.*s' is not a tensor", (int)name.size,
                              name.data);
  *out_tensor = slot->tensor;
  return NEREID_OK;
}

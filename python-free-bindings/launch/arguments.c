/* Checks the arguments of a launch and expands tensors.
 *
 *   signature   d: descriptor of tensordesc<f16[128x64]> | d: shape 0 | d: shape 1 | d: stride 0 | d: stride 1 | n: i32
 *   arguments   tensor of f16[4096x512]                                                                        | 7
 *   values      a tensor map of its address              | 4096       | 512        | 512         | 1           | 7
 *
 * A tensor fills its descriptor's head and the parameters of the same group that follow it. If the compiler replaced
 * the descriptor by a pointer, the head is the address, and the group has shapes and strides for the kernel. */
#include "python-free-bindings/launch/arguments.h"

#include "python-free-bindings/launch/owners.h"

#include <inttypes.h>

nereid_status_t nereid_argument_wrong(const nereid_kernel_t *kernel, nereid_place_t at, const char *problem,
                                      nereid_message_t *message) {
  const char *name = kernel->metadata.parameters[at.parameter].name;
  return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "argument %zu%s%s%s of kernel '%s' %s", at.argument,
                            name ? " '" : "", name ? name : "", name ? "'" : "", kernel->metadata.name, problem);
}

nereid_status_t nereid_argument_wrong_type(const nereid_kernel_t *kernel, nereid_place_t at,
                                           const nereid_value_t *value, nereid_message_t *message) {
  static const char *const kinds[] = {"a scalar", "a pointer", "a descriptor", "opaque", "a tensor"};
  nereid_message_t problem;
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  const char *expected = nereid_parameter_type_print(&arena, &kernel->metadata.parameters[at.parameter]);
  nereid_message_set(&problem, NEREID_OK, "must be %s (%u bytes), not %s of type %s",
                     expected ? expected : "another type", kernel->metadata.parameters[at.parameter].size,
                     value->kind < sizeof kinds / sizeof *kinds ? kinds[value->kind] : "a value",
                     nereid_element_name(value->element));
  nereid_arena_deinitialize(&arena);
  return nereid_argument_wrong(kernel, at, problem.text, message);
}

nereid_status_t nereid_argument_wrong_divisor(const nereid_kernel_t *kernel, nereid_place_t at,
                                              const nereid_value_t *value, nereid_message_t *message) {
  nereid_message_t problem;
  nereid_message_set(&problem, NEREID_OK, "is %llu; the kernel was compiled for multiples of %u",
                     (unsigned long long)value->as.bits, kernel->metadata.parameters[at.parameter].divisibility);
  return nereid_argument_wrong(kernel, at, problem.text, message);
}

nereid_status_t nereid_argument_wrong_count(const nereid_kernel_t *kernel, size_t n, nereid_message_t *message) {
  return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "kernel '%s' takes %zu arguments, not %zu",
                            kernel->metadata.name, kernel->metadata.n_parameters, n);
}

/* --- tensors --- */

/* State of an expansion: a parameter and an argument, which advance together. */
typedef struct expander {
  const nereid_kernel_t *kernel;
  nereid_arguments_t *out;
  nereid_place_t at;
  bool launched;
  nereid_message_t *message;
} expander_t;

static nereid_status_t refuse(const expander_t *expander, const nereid_message_t *problem) {
  return nereid_argument_wrong(expander->kernel, expander->at, problem->text, expander->message);
}

static nereid_status_t refuse_tensor(const expander_t *expander, const nereid_message_t *reason) {
  nereid_message_t problem;
  nereid_message_set(&problem, NEREID_OK, "is not valid: %.400s", reason->text);
  return refuse(expander, &problem);
}

static const nereid_parameter_t *parameter_at(const expander_t *expander) {
  return &expander->kernel->metadata.parameters[expander->at.parameter];
}

/* The tensor with the element type and the strides that it left to the kernel. */
static nereid_status_t complete(const expander_t *expander, const nereid_tensor_t *given, nereid_tensor_t *out_tensor) {
  const nereid_parameter_t *parameter = parameter_at(expander);
  nereid_message_t problem;
  *out_tensor = *given;
  if (!given->element)
    out_tensor->element = parameter->element;
  if (given->rank < 1 || given->rank > NEREID_TMA_RANK ||
      (parameter->rank && (uint32_t)parameter->rank != given->rank)) {
    nereid_message_set(&problem, NEREID_OK, "is a tensor of rank %" PRIu32 "; expected %s%d", given->rank,
                       parameter->rank ? "" : "1 to ", parameter->rank ? (int)parameter->rank : NEREID_TMA_RANK);
    return refuse(expander, &problem);
  }
  if (out_tensor->element != parameter->element && parameter->element) {
    nereid_message_set(&problem, NEREID_OK, "is a tensor of %s; expected %s", nereid_element_name(given->element),
                       nereid_element_name(parameter->element));
    return refuse(expander, &problem);
  }
  nereid_message_t reason;
  if (nereid_tensor_strides(given, out_tensor->strides, &reason))
    return refuse_tensor(expander, &reason);
  return NEREID_OK;
}

static bool pads_with_nan(const nereid_parameter_t *parameter, const nereid_tensor_t *tensor) {
  return tensor->padding ? tensor->padding == NEREID_PADDING_NAN : parameter->nan_padding;
}

/* Gets the map that the parameter's tile requires. */
static nereid_status_t map_tensor(expander_t *expander, const nereid_tensor_t *tensor, nereid_value_t *out_value) {
  const nereid_parameter_t *parameter = parameter_at(expander);
  nereid_tma_tile_t tile = {.rank = (uint32_t)parameter->rank,
                            .swizzle = parameter->swizzle,
                            .fp4_padded = parameter->fp4_padded,
                            .nan_padding = parameter->nan_padding};
  nereid_tma_request_t request;
  nereid_message_t reason, problem;
  *out_value = nereid_value_descriptor(NULL);
  if (!expander->launched)
    return NEREID_OK;
  if (!parameter->rank) {
    nereid_message_set(&problem, NEREID_OK,
                       "cannot be a tensor, because the kernel's metadata does not specify the tile; pass an encoded "
                       "descriptor");
    return refuse(expander, &problem);
  }
  if (parameter->im2col) {
    nereid_message_set(&problem, NEREID_OK,
                       "cannot be a tensor, because the kernel reads it in im2col mode; pass an encoded descriptor");
    return refuse(expander, &problem);
  }
  memcpy(tile.block, parameter->block, sizeof tile.block);
  nereid_tma_reference_t *map = &expander->out->maps[expander->out->n_maps];
  nereid_status_t status = nereid_tma_request_of_tile(tensor, &tile, &request, &reason);
  if (!status)
    status = nereid_tma_cache_get(expander->kernel->device->maps, &request, NULL, map, &reason);
  if (!status) {
    ++expander->out->n_maps;
    *out_value = nereid_value_descriptor(map->descriptor);
    return NEREID_OK;
  }
  if (status != NEREID_ERROR_ARGUMENT)
    return nereid_message_set(expander->message, status, "%s", reason.text);
  return refuse_tensor(expander, &reason);
}

/* An integer of the group, in the parameter's type. */
static nereid_status_t set_extent(const expander_t *expander, uint64_t extent, nereid_value_t *out_value) {
  const nereid_parameter_t *parameter = parameter_at(expander);
  nereid_message_t problem;
  *out_value = (nereid_value_t){NEREID_PARAMETER_SCALAR, parameter->element, {0}};
  if (extent > (parameter->size == 4 ? INT32_MAX : INT64_MAX)) {
    nereid_message_set(&problem, NEREID_OK, "has the %s %" PRIu64 " in dimension %d; the limit is 2^%d - 1",
                       parameter->role == NEREID_ROLE_SHAPE ? "extent" : "stride", extent, (int)parameter->dimension,
                       parameter->size == 4 ? 31 : 63);
    return refuse(expander, &problem);
  }
  out_value->as.bits = extent;
  return NEREID_OK;
}

static nereid_status_t expand_parameter(expander_t *expander, const nereid_tensor_t *tensor,
                                        nereid_value_t *out_value) {
  const nereid_parameter_t *parameter = parameter_at(expander);
  nereid_message_t problem;
  switch (parameter->role) {
  case NEREID_ROLE_DESCRIPTOR:
    return map_tensor(expander, tensor, out_value);
  case NEREID_ROLE_BASE:
    *out_value = nereid_value_pointer_to(tensor->element, tensor->address);
    return NEREID_OK;
  case NEREID_ROLE_PADDING:
    *out_value = nereid_value_i1(pads_with_nan(parameter, tensor));
    return NEREID_OK;
  case NEREID_ROLE_SHAPE:
  case NEREID_ROLE_STRIDE:
    if ((uint32_t)parameter->dimension < tensor->rank)
      return set_extent(expander,
                        (parameter->role == NEREID_ROLE_SHAPE ? tensor->shape : tensor->strides)[parameter->dimension],
                        out_value);
    nereid_message_set(&problem, NEREID_OK, "is a tensor of rank %" PRIu32 "; the kernel reads dimension %d",
                       tensor->rank, (int)parameter->dimension);
    return refuse(expander, &problem);
  case NEREID_ROLE_ARGUMENT:
    break;
  }
  nereid_message_set(&problem, NEREID_OK, "is a tensor; only descriptors can be");
  return refuse(expander, &problem);
}

/* Expands the tensor at the current place into the parameters of its group. */
static nereid_status_t expand_tensor(expander_t *expander, const nereid_tensor_t *given) {
  const nereid_metadata_t *metadata = &expander->kernel->metadata;
  const nereid_parameter_t *head = parameter_at(expander);
  const bool is_head = head->role == NEREID_ROLE_DESCRIPTOR || head->role == NEREID_ROLE_BASE;
  nereid_arguments_t *out = expander->out;
  nereid_tensor_t tensor;
  if (!is_head || !given)
    return nereid_argument_wrong(expander->kernel, expander->at,
                                 given ? "is a tensor, but the parameter is not a descriptor" : "is a null tensor",
                                 expander->message);
  nereid_status_t status = complete(expander, given, &tensor);
  for (; !status; ++expander->at.parameter) {
    const size_t i = expander->at.parameter;
    if (i == metadata->n_parameters ||
        (&metadata->parameters[i] != head && (head->group < 0 || metadata->parameters[i].group != head->group)))
      break;
    out->argument_of[i] = (uint16_t)expander->at.argument;
    status = expand_parameter(expander, &tensor, &out->values[i]);
  }
  if (!status && expander->launched && (given->owner.retain || given->owner.release))
    out->owners[out->n_owners++] = given->owner;
  return status;
}

nereid_status_t nereid_arguments_expand(const nereid_kernel_t *kernel, size_t n, const nereid_value_t *arguments,
                                        bool launched, nereid_arguments_t *out_expanded, nereid_message_t *message) {
  const size_t n_parameters = kernel->metadata.n_parameters;
  expander_t expander = {.kernel = kernel, .out = out_expanded, .launched = launched, .message = message};
  nereid_place_t *at = &expander.at;
  nereid_status_t status = NEREID_OK;
  out_expanded->n_maps = out_expanded->n_owners = 0;
  for (; !status && at->argument < n && at->parameter < n_parameters; ++at->argument) {
    if (arguments[at->argument].kind == NEREID_PARAMETER_TENSOR) {
      status = expand_tensor(&expander, arguments[at->argument].as.tensor);
      continue;
    }
    out_expanded->argument_of[at->parameter] = (uint16_t)at->argument;
    out_expanded->values[at->parameter++] = arguments[at->argument];
  }
  if (!status && (at->argument != n || at->parameter != n_parameters))
    status = nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                                "kernel '%s': the %zu arguments fill %zu of %zu parameters%s", kernel->metadata.name, n,
                                at->parameter, n_parameters, at->argument < n ? ", and some are left over" : "");
  for (size_t i = 0; !status && i < out_expanded->n_owners; ++i)
    if (out_expanded->owners[i].retain)
      out_expanded->owners[i].retain(out_expanded->owners[i].data);
  if (status) {
    out_expanded->n_owners = 0; /* not retained yet */
    nereid_arguments_release(out_expanded);
  }
  return status;
}

nereid_status_t nereid_arguments_capture(const nereid_kernel_t *kernel, void *stream,
                                         const nereid_arguments_t *expanded, nereid_message_t *message) {
  enum { CAPTURING = 1 }; /* CU_STREAM_CAPTURE_STATUS_ACTIVE */
  const nereid_driver_t *driver = kernel->device->driver;
  int capture = 0;
  uint64_t id;
  void *graph = NULL;
  bool pushed;
  if (!expanded->n_owners || !driver->stream_get_capture_info || !driver->user_object_create ||
      !driver->user_object_release || !driver->graph_retain_user_object)
    return NEREID_OK;
  nereid_status_t status = nereid_device_enter(kernel->device, &pushed, message);
  if (status)
    return status;
  /* An error here is one of the stream, which the launch reports. */
  if (driver->stream_get_capture_info(stream, &capture, &id, &graph, NULL, NULL) || capture != CAPTURING)
    graph = NULL;
  for (size_t i = 0; graph && !status && i < expanded->n_owners; ++i)
    status = nereid_owners_keep(kernel->device->owners, driver, graph, &expanded->owners[i], message);
  nereid_device_leave(kernel->device, pushed);
  return status;
}

void nereid_arguments_release(nereid_arguments_t *expanded) {
  for (size_t i = 0; i < expanded->n_maps; ++i)
    nereid_tma_reference_release(&expanded->maps[i]);
  for (size_t i = 0; i < expanded->n_owners; ++i)
    if (expanded->owners[i].release)
      expanded->owners[i].release(expanded->owners[i].data);
  expanded->n_maps = expanded->n_owners = 0;
}

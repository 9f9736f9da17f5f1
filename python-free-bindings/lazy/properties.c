/* The properties of a call's arguments, by which a variant is chosen.
 *
 *   bits: 4 per argument, the first NEREID_LAZY_SPECIALIZED arguments
 *   x = 0x7f00, n = 1000, s = 1   →   divisible, generic, one */
#include "python-free-bindings/lazy/lazy.h"

enum { BITS = 4, PER_WORD = 64 / BITS };

static void set_property(nereid_lazy_properties_t *properties, size_t argument, nereid_property_t property) {
  properties->bits[argument / PER_WORD] |= (uint64_t)property << (argument % PER_WORD * BITS);
}

nereid_property_t nereid_lazy_property(const nereid_lazy_properties_t *properties, size_t argument) {
  return (nereid_property_t)(properties->bits[argument / PER_WORD] >> (argument % PER_WORD * BITS) & 15);
}

/* On the path of every launch. */
static inline nereid_property_t property_of(const nereid_value_t *argument, uint32_t policy) {
  const bool is_pointer = argument->kind == NEREID_PARAMETER_POINTER;
  const uint64_t value = argument->as.bits;
  if (!is_pointer && (argument->kind != NEREID_PARAMETER_SCALAR || argument->element < NEREID_ELEMENT_I8 ||
                      argument->element > NEREID_ELEMENT_I64))
    return NEREID_PROPERTY_AS_WRITTEN;
  if (is_pointer && value == 0 && policy & NEREID_LAZY_SPECIALIZE_NULL)
    return NEREID_PROPERTY_NULL;
  if (!is_pointer && value == 1 && policy & NEREID_LAZY_SPECIALIZE_ONE)
    return NEREID_PROPERTY_ONE;
  if (policy & NEREID_LAZY_SPECIALIZE_DIVISIBLE)
    return value & 15 ? NEREID_PROPERTY_GENERIC : NEREID_PROPERTY_DIVISIBLE;
  return NEREID_PROPERTY_AS_WRITTEN;
}

nereid_lazy_properties_t nereid_lazy_properties(const nereid_lazy_options_t *options, size_t n,
                                                const nereid_value_t *arguments) {
  nereid_lazy_properties_t properties = {{0, 0}};
  const uint32_t policy = options->specialize;
  if (!policy)
    return properties;
  for (size_t i = 0; i < n && i < NEREID_LAZY_SPECIALIZED; ++i)
    if (!(options->unspecialized >> i & 1))
      set_property(&properties, i, property_of(&arguments[i], policy));
  return properties;
}

nereid_lazy_properties_t nereid_lazy_generic_properties(const nereid_lazy_properties_t *properties) {
  nereid_lazy_properties_t generic = {{0, 0}};
  for (size_t i = 0; i < NEREID_LAZY_SPECIALIZED; ++i)
    if (nereid_lazy_property(properties, i) != NEREID_PROPERTY_AS_WRITTEN)
      set_property(&generic, i, NEREID_PROPERTY_GENERIC);
  return generic;
}

bool nereid_lazy_states_properties(const nereid_metadata_t *metadata, const nereid_lazy_properties_t *properties) {
  size_t argument = 0;
  for (size_t i = 0; i < metadata->n_parameters && argument < NEREID_LAZY_SPECIALIZED; ++i) {
    const nereid_parameter_t *parameter = &metadata->parameters[i];
    if (i && parameter->group >= 0 && parameter->group == parameter[-1].group)
      continue; /* a shape or stride of the tensor before */
    const nereid_property_t property = nereid_lazy_property(properties, argument++);
    if (property == NEREID_PROPERTY_ONE || property == NEREID_PROPERTY_NULL ||
        (property == NEREID_PROPERTY_GENERIC && parameter->divisibility > 1) ||
        (property == NEREID_PROPERTY_DIVISIBLE && parameter->divisibility != 16))
      return false;
  }
  return true;
}

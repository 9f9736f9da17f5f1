/* The grid of a kernel for a list of arguments, with tensors or without.
 *
 *   map ()[s0] -> (s0 ceildiv 128), args [2]    arguments x, y, 1000    grid 8 1 1 */
#include "python-free-bindings/launch/arguments.h"

nereid_status_t nereid_grid_evaluate(const nereid_metadata_t *metadata, int32_t multiprocessors, size_t n,
                                     const nereid_value_t *arguments, uint32_t out_grid[3], nereid_message_t *message) {
  nereid_grid_program_t program;
  int64_t values[NEREID_GRID_ARGUMENTS];
  if (!metadata->grid_map)
    return nereid_message_set(message, NEREID_ERROR_NOT_FOUND, "kernel '%s' has no grid map", metadata->name);
  nereid_status_t status = nereid_grid_compile(metadata, &program, message);
  for (size_t i = 0; !status && i < metadata->n_grid_arguments; ++i) {
    const size_t position = (size_t)metadata->grid_arguments[i];
    if (position >= n || arguments[position].kind != NEREID_PARAMETER_SCALAR ||
        nereid_element_is_float(arguments[position].element))
      return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the grid map requires an integer as argument %zu",
                                position);
    values[i] = nereid_element_read_integer(arguments[position].element, &arguments[position].as.bits);
  }
  return status ? status : nereid_grid_run(&program, metadata, multiprocessors, values, out_grid, message);
}

nereid_status_t nereid_kernel_grid(const nereid_kernel_t *kernel, size_t n, const nereid_value_t *arguments,
                                   uint32_t out_grid[3], nereid_message_t *message) {
  nereid_arguments_t expanded;
  nereid_status_t status = nereid_arguments_expand(kernel, n, arguments, false, &expanded, message);
  if (status)
    return status;
  return nereid_grid_evaluate(&kernel->metadata, kernel->device->info.multiprocessors, kernel->metadata.n_parameters,
                              expanded.values, out_grid, message);
}

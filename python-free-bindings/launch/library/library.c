/* Opens libraries of kernels that were compiled ahead of time.
 *
 *   table      kernel 0: configurations 0, 1      kernel 1: configuration 0        constant
 *   library    slot 0       slot 1                slot 2                           one per device
 *
 * A slot holds the loaded module of one configuration. A launch reads it without a lock; loading takes the library's
 * lock, so that each image is loaded once. */
#include "nereid/library.h"

#include "python-free-bindings/launch/kernel.h"
#include "python-free-bindings/launch/library/choose.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct slot {
  _Atomic(nereid_module_t *) module;
  atomic_bool is_unusable;  /* no image is for this device */
  nereid_message_t problem; /* the reason; written before `is_unusable` */
} slot_t;

struct nereid_library {
  const nereid_library_table_t *table;
  nereid_device_t *device;
  pthread_mutex_t loading;
  size_t *first_slots; /* one per kernel */
  slot_t *slots;
  size_t n_slots;
};

/* --- loading --- */

static nereid_status_t no_image(const nereid_library_t *library, const nereid_library_kernel_t *kernel,
                                const nereid_library_configuration_t *configuration, nereid_message_t *message) {
  char targets[160] = "none";
  size_t used = 0;
  for (size_t i = 0; i < configuration->n_images && used < sizeof targets; ++i)
    used +=
        (size_t)snprintf(targets + used, sizeof targets - used, "%s%s", i ? ", " : "", configuration->images[i].target);
  const nereid_device_t *device = library->device;
  return nereid_message_set(message, NEREID_ERROR_UNSUPPORTED,
                            "library '%s' has no image of kernel '%s' for %s (sm_%d%s); it has %s: compile with "
                            "--target %s_%d",
                            library->table->name, kernel->name, device->info.name, (int)device->info.capability,
                            device->emulated ? ", PTX only" : "", targets, device->emulated ? "compute" : "sm",
                            (int)device->info.capability);
}

/* Returns the best image below a suitability; null when there is none. */
static const nereid_library_image_t *
next_image(const nereid_device_t *device, const nereid_library_configuration_t *configuration, uint32_t *suitability) {
  const nereid_library_image_t *best = NULL;
  uint32_t best_suitability = 0;
  for (size_t i = 0; i < configuration->n_images; ++i) {
    const nereid_library_image_t *image = &configuration->images[i];
    const uint32_t found = nereid_image_suitability(image->target, device->info.capability, device->emulated != NULL);
    if (found > best_suitability && found < *suitability) {
      best = image;
      best_suitability = found;
    }
  }
  *suitability = best_suitability;
  return best;
}

/* Loads the best image that the device supports. NEREID_ERROR_UNSUPPORTED: it supports none. */
static nereid_status_t load_image(const nereid_library_t *library, const nereid_library_kernel_t *kernel,
                                  const nereid_library_configuration_t *configuration, nereid_module_t **out_module,
                                  nereid_message_t *message) {
  uint32_t suitability = UINT32_MAX;
  nereid_status_t status = no_image(library, kernel, configuration, message);
  const nereid_library_image_t *image;
  while (status == NEREID_ERROR_UNSUPPORTED && (image = next_image(library->device, configuration, &suitability)))
    status = nereid_module_load(library->device, image->bytes, image->metadata, out_module, message);
  return status;
}

/* The lock is held. */
static nereid_status_t load_slot(nereid_library_t *library, size_t kernel, size_t configuration,
                                 nereid_message_t *message) {
  const nereid_library_kernel_t *entry = &library->table->kernels[kernel];
  slot_t *slot = &library->slots[library->first_slots[kernel] + configuration];
  nereid_module_t *module = NULL;
  nereid_message_t problem = {""};
  nereid_status_t status = NEREID_OK;
  if (atomic_load(&slot->module) || atomic_load(&slot->is_unusable))
    return NEREID_OK;
  status = load_image(library, entry, &entry->configurations[configuration], &module, &problem);
  if (!status) {
    atomic_store_explicit(&slot->module, module, memory_order_release);
  } else if (status == NEREID_ERROR_UNSUPPORTED) {
    slot->problem = problem;
    atomic_store_explicit(&slot->is_unusable, true, memory_order_release);
    status = NEREID_OK;
  } else {
    nereid_message_set(message, status, "%s", problem.text);
  }
  return status;
}

/* Gets the loaded module of a configuration; null if no image is for this device. */
static nereid_status_t get_module(nereid_library_t *library, size_t kernel, size_t configuration,
                                  nereid_module_t **out_module, nereid_message_t *message) {
  slot_t *slot = &library->slots[library->first_slots[kernel] + configuration];
  nereid_status_t status = NEREID_OK;
  *out_module = atomic_load_explicit(&slot->module, memory_order_acquire);
  if (*out_module || atomic_load_explicit(&slot->is_unusable, memory_order_acquire))
    return NEREID_OK;
  pthread_mutex_lock(&library->loading);
  status = load_slot(library, kernel, configuration, message);
  pthread_mutex_unlock(&library->loading);
  *out_module = atomic_load_explicit(&slot->module, memory_order_acquire);
  return status;
}

/* Reports why configuration `configuration` cannot run, or the first one if none can. */
static nereid_status_t report_unusable(const nereid_library_t *library, size_t kernel, size_t configuration,
                                       nereid_message_t *message) {
  const size_t at = configuration == NEREID_LIBRARY_ANY ? 0 : configuration;
  return nereid_message_set(message, NEREID_ERROR_UNSUPPORTED, "%s",
                            library->slots[library->first_slots[kernel] + at].problem.text);
}

/* Loads all configurations of a kernel; one must be usable. */
static nereid_status_t load_kernel(nereid_library_t *library, size_t kernel, nereid_message_t *message) {
  bool is_any_usable = false;
  nereid_module_t *module = NULL;
  for (size_t i = 0; i < library->table->kernels[kernel].n_configurations; ++i) {
    nereid_status_t status = get_module(library, kernel, i, &module, message);
    if (status)
      return status;
    is_any_usable |= module != NULL;
  }
  return is_any_usable ? NEREID_OK : report_unusable(library, kernel, NEREID_LIBRARY_ANY, message);
}

nereid_status_t nereid_library_load(nereid_library_t *library, nereid_message_t *message) {
  nereid_status_t status = NEREID_OK;
  for (size_t i = 0; !status && i < library->table->n_kernels; ++i)
    status = load_kernel(library, i, message);
  return status;
}

/* --- opening --- */

static nereid_status_t allocate_slots(nereid_library_t *library) {
  const nereid_library_table_t *table = library->table;
  library->first_slots = calloc(table->n_kernels + 1, sizeof *library->first_slots);
  for (size_t i = 0; library->first_slots && i < table->n_kernels; ++i) {
    library->first_slots[i] = library->n_slots;
    library->n_slots += table->kernels[i].n_configurations;
  }
  library->slots = calloc(library->n_slots + 1, sizeof *library->slots);
  return library->first_slots && library->slots ? NEREID_OK : NEREID_ERROR_MEMORY;
}

nereid_status_t nereid_library_open(const nereid_library_table_t *table, nereid_device_t *device,
                                    nereid_library_t **out_library, nereid_message_t *message) {
  *out_library = NULL;
  if (!table || table->size < sizeof *table || !device)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "%s",
                              !device  ? "the device is null"
                              : !table ? "the table is null"
                                       : "the library is of another version: generate it again with nereid aot");
  nereid_library_t *library = calloc(1, sizeof *library);
  if (!library || pthread_mutex_init(&library->loading, NULL)) {
    free(library);
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  }
  library->table = table;
  library->device = device;
  nereid_status_t status = allocate_slots(library);
  if (status)
    nereid_message_set(message, status, "out of memory");
  else if (!table->lazy)
    status = nereid_library_load(library, message);
  if (status)
    nereid_library_close(library);
  else
    *out_library = library;
  return status;
}

void nereid_library_close(nereid_library_t *library) {
  if (!library)
    return;
  for (size_t i = 0; library->slots && i < library->n_slots; ++i)
    nereid_module_unload(atomic_load(&library->slots[i].module));
  pthread_mutex_destroy(&library->loading);
  free(library->first_slots);
  free(library->slots);
  free(library);
}

/* --- launching --- */

/* Gets the first usable configuration that accepts the arguments, else the last usable one. `arguments` null: the first
 * usable one. */
static nereid_status_t choose(nereid_library_t *library, size_t kernel, size_t n, const nereid_value_t *arguments,
                              nereid_module_t **out_module, nereid_message_t *message) {
  const size_t n_configurations = library->table->kernels[kernel].n_configurations;
  *out_module = NULL;
  for (size_t i = 0; i < n_configurations; ++i) {
    nereid_module_t *module;
    nereid_status_t status = get_module(library, kernel, i, &module, message);
    if (status)
      return status;
    if (module)
      *out_module = module;
    if (module && (n_configurations == 1 || !arguments || nereid_kernel_accepts(&module->kernel, n, arguments)))
      break;
  }
  return *out_module ? NEREID_OK : report_unusable(library, kernel, NEREID_LIBRARY_ANY, message);
}

static nereid_status_t check_call(const nereid_library_t *library, const nereid_library_table_t *table, size_t kernel,
                                  size_t configuration, nereid_message_t *message) {
  if (!library || library->table != table)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "expected a library that was opened from '%s', not %s%s%s", table->name,
                              library ? "'" : "null", library ? library->table->name : "", library ? "'" : "");
  if (kernel >= table->n_kernels ||
      (configuration != NEREID_LIBRARY_ANY && configuration >= table->kernels[kernel].n_configurations))
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "library '%s' has no configuration %zu of kernel %zu",
                              table->name, configuration, kernel);
  return NEREID_OK;
}

nereid_status_t nereid_library_launch(nereid_library_t *library, const nereid_library_table_t *table, size_t kernel,
                                      size_t configuration, const nereid_launch_t *launch, size_t n,
                                      const nereid_value_t *arguments, nereid_message_t *message) {
  nereid_module_t *module = NULL;
  nereid_status_t status = check_call(library, table, kernel, configuration, message);
  if (status)
    return status;
  status = configuration == NEREID_LIBRARY_ANY ? choose(library, kernel, n, arguments, &module, message)
                                               : get_module(library, kernel, configuration, &module, message);
  if (!status && !module)
    status = report_unusable(library, kernel, configuration, message);
  return status ? status : nereid_kernel_launch(&module->kernel, launch, n, arguments, message);
}

static nereid_status_t not_found(const nereid_library_t *library, const nereid_library_kernel_t *kernel,
                                 const char *name, nereid_message_t *message) {
  char names[256] = "none";
  size_t used = 0, n = kernel ? kernel->n_configurations : library->table->n_kernels;
  for (size_t i = 0; i < n && used < sizeof names; ++i)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                             kernel ? kernel->configurations[i].name : library->table->kernels[i].name);
  if (kernel)
    return nereid_message_set(message, NEREID_ERROR_NOT_FOUND,
                              "kernel '%s' of library '%s' has no configuration '%s'; it has %s", kernel->name,
                              library->table->name, name, names);
  return nereid_message_set(message, NEREID_ERROR_NOT_FOUND, "library '%s' has no kernel '%s'; it has %s",
                            library->table->name, name, names);
}

nereid_status_t nereid_library_kernel(nereid_library_t *library, const char *name, const char *configuration,
                                      const nereid_kernel_t **out_kernel, nereid_message_t *message) {
  const nereid_library_table_t *table = library->table;
  nereid_module_t *module = NULL;
  size_t kernel = 0, position = 0;
  *out_kernel = NULL;
  while (kernel < table->n_kernels && strcmp(table->kernels[kernel].name, name) != 0)
    ++kernel;
  if (kernel == table->n_kernels)
    return not_found(library, NULL, name, message);
  const nereid_library_kernel_t *entry = &table->kernels[kernel];
  while (configuration && position < entry->n_configurations &&
         strcmp(entry->configurations[position].name, configuration) != 0)
    ++position;
  if (configuration && position == entry->n_configurations)
    return not_found(library, entry, configuration, message);
  nereid_status_t status = configuration ? get_module(library, kernel, position, &module, message)
                                         : choose(library, kernel, 0, NULL, &module, message);
  if (!status && !module)
    status = report_unusable(library, kernel, position, message);
  if (!status)
    *out_kernel = &module->kernel;
  return status;
}

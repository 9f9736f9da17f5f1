/* Prints the decisions of a lazy kernel as JSON (docs/kernels.md, "Report"). */
#include "python-free-bindings/lazy/lazy.h"

#include "base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const char *nereid_lazy_build_state_name(const nereid_lazy_build_t *build) {
  static const char *const names[] = {"cancelled", "queued", "compiling", "stored", "compiled", "failed"};
  return build->state == NEREID_LAZY_BUILD_READY && build->is_stored ? "stored" : names[build->state];
}

const char *nereid_outcome_name(nereid_outcome_t outcome) {
  static const char *const names[] = {"not reached", "timed",        "stopped early", "not timed", "pruned",
                                      "not built",   "not launched", "too slow",      "left out"};
  return names[outcome];
}

static void print_member(FILE *out, const char *name, const char *text) {
  fprintf(out, ", \"%s\": ", name);
  nereid_json_print_string(out, nereid_view(text));
}

static void print_failure(FILE *out, nereid_status_t status, const char *message) {
  if (status)
    print_member(out, "status", nereid_status_string(status));
  if (message && *message)
    print_member(out, "message", message);
}

static void print_configuration(FILE *out, size_t index, const nereid_configured_t *configured) {
  const nereid_lazy_configuration_t *it = &configured->options;
  fprintf(out,
          "    {\"configuration\": %zu, \"num_warps\": %d, \"num_stages\": %d, \"num_ctas\": %d, \"maxnreg\": %d, "
          "\"constants\": {",
          index, (int)it->num_warps, (int)it->num_stages, (int)it->num_ctas, (int)it->maxnreg);
  for (size_t i = 0; i < it->n_constants; ++i) {
    fputs(i ? ", " : "", out);
    nereid_json_print_string(out, nereid_view(it->constants[i].name));
    fputs(": ", out);
    nereid_json_print_string(out, nereid_view(it->constants[i].value));
  }
  fputs("}}", out);
}

static void print_properties(FILE *out, const nereid_lazy_properties_t *properties) {
  static const char *const names[] = {"as written", "generic", "divisible", "one", "null"};
  size_t n = NEREID_LAZY_SPECIALIZED;
  while (n && !nereid_lazy_property(properties, n - 1))
    --n;
  fputc('[', out);
  for (size_t i = 0; i < n; ++i)
    fprintf(out, "%s\"%s\"", i ? ", " : "", names[nereid_lazy_property(properties, i)]);
  fputc(']', out);
}

static void print_build(FILE *out, const nereid_lazy_build_t *build) {
  fprintf(out, "      {\"configuration\": %zu, \"state\": \"%s\"", build->configuration,
          nereid_lazy_build_state_name(build));
  if (build->state >= NEREID_LAZY_BUILD_STORED)
    fprintf(out, ", \"milliseconds\": %.3f", build->milliseconds);
  if (build->state == NEREID_LAZY_BUILD_READY) {
    const nereid_metadata_t *metadata = nereid_kernel_metadata(build->loaded);
    fprintf(out, ", \"registers\": %d, \"shared\": %" PRIu64, (int)metadata->registers, metadata->shared);
  }
  if (build->state == NEREID_LAZY_BUILD_FAILED)
    print_failure(out, build->status, build->message.text);
  fputc('}', out);
}

static void print_variant(FILE *out, const nereid_lazy_kernel_t *kernel, const nereid_variant_t *variant) {
  fprintf(out, "    {\"variant\": %zu, \"properties\": ", variant->index);
  print_properties(out, &variant->properties);
  fputs(", \"builds\": [\n", out);
  for (size_t i = 0; i < kernel->n_configurations; ++i) {
    fputs(i ? ",\n" : "", out);
    print_build(out, &variant->builds[i]);
  }
  fputs("]}", out);
}

static void print_result(FILE *out, size_t configuration, const nereid_measured_t *result) {
  fprintf(out, "      {\"configuration\": %zu, \"outcome\": \"%s\"", configuration,
          nereid_outcome_name(result->outcome));
  if (result->runs)
    fprintf(out, ", \"runs\": %" PRIu32 ", \"time\": %.1f", result->runs, result->time);
  print_failure(out, result->status, result->message);
  fputc('}', out);
}

void nereid_decision_print(FILE *out, const nereid_lazy_kernel_t *kernel, const nereid_decision_t *decision) {
  static const char *const reasons[] = {"tuned", "the only one left", "store", "too many keys"};
  fprintf(out, "    {\"key\": \"0x%016" PRIx64 "\", \"properties\": ", decision->key);
  print_properties(out, &decision->properties);
  if (decision->variant)
    fprintf(out, ", \"variant\": %zu", decision->variant->index);
  if (decision->winner)
    fprintf(out, ", \"winner\": %zu, \"reason\": \"%s\"", decision->configuration, reasons[decision->reason]);
  else
    print_failure(out, decision->status, NULL);
  fprintf(out, ", \"milliseconds\": %.3f, \"results\": [\n", decision->milliseconds);
  for (size_t i = 0; i < kernel->n_configurations; ++i) {
    fputs(i ? ",\n" : "", out);
    print_result(out, i, &decision->results[i]);
  }
  fputs("]}", out);
}

/* With the lock held. Variants are printed in the order of their creation, decisions from the newest. */
static void print_lists(FILE *out, const nereid_lazy_kernel_t *kernel) {
  const char *separator = "";
  fputs("  \"configurations\": [\n", out);
  for (size_t i = 0; i < kernel->n_configurations; ++i) {
    fputs(i ? ",\n" : "", out);
    print_configuration(out, i, &kernel->configurations[i]);
  }
  fputs("],\n  \"variants\": [\n", out);
  for (size_t index = 0; index < kernel->n_variants; ++index)
    for (const nereid_variant_t *it = kernel->variants; it; it = it->next)
      if (it->index == index) {
        fputs(index ? ",\n" : "", out);
        print_variant(out, kernel, it);
      }
  fputs("],\n  \"decisions\": [\n", out);
  for (const nereid_decision_t *it = kernel->decisions; it; it = it->next, separator = ",\n") {
    fputs(separator, out);
    nereid_decision_print(out, kernel, it);
  }
  fputs("],\n  \"failure\": ", out);
  if (kernel->failure) {
    fputc('\n', out);
    nereid_decision_print(out, kernel, kernel->failure);
  } else {
    fputs("null", out);
  }
}

static void print(FILE *out, nereid_lazy_kernel_t *kernel) {
  fputs("{\n  \"kernel\": ", out);
  nereid_json_print_string(out, nereid_view(kernel->options.name));
  fputs(",\n  \"device\": ", out);
  nereid_json_print_string(out, nereid_view(kernel->device->info.name));
  fprintf(out, ",\n  \"target\": \"%s\",\n  \"unit\": \"%s\",\n", kernel->target,
          nereid_timer_unit(kernel->is_emulated));
  pthread_mutex_lock(&kernel->lock);
  print_lists(out, kernel);
  fprintf(out, ",\n  \"captured\": %" PRIu64 "\n}\n", kernel->n_captured);
  pthread_mutex_unlock(&kernel->lock);
}

nereid_status_t nereid_lazy_report(nereid_lazy_kernel_t *kernel, nereid_arena_t *arena, nereid_view_t *out_text) {
  char *text = NULL;
  size_t size = 0;
  *out_text = (nereid_view_t){0};
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NEREID_ERROR_MEMORY;
  print(out, kernel);
  const bool good = !ferror(out) & (fclose(out) == 0);
  const char *copy = good ? nereid_arena_copy(arena, nereid_view_of(text, size)) : NULL;
  free(text);
  if (!copy)
    return NEREID_ERROR_MEMORY;
  *out_text = nereid_view_of(copy, size);
  return NEREID_OK;
}

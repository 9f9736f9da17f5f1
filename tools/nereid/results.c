/* Prints results as text lines and writes .npy files. */
#include "tools/nereid/results.h"

#include "base/file.h"
#include "tools/nereid/run/bind.h"
#include "tools/nereid/run/compare.h"

#include <stdio.h>
#include <stdlib.h>

void tool_results_run(const tool_job_t *job, const char *where) {
  printf("%s: grid %ux%ux%u", job->metadata.name, job->grid[0], job->grid[1], job->grid[2]);
  if (job->metadata.num_ctas > 1)
    printf(" clusters of %d", (int)job->metadata.num_ctas);
  const uint32_t *block = job->metadata.block;
  const uint32_t threads = block[0] ? block[0] * block[1] * block[2] : (uint32_t)job->metadata.total_num_warps * 32;
  printf(", %u threads, on %s\n", threads, where);
}

static int by_value(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

void tool_results_times(const tool_job_t *job) {
  size_t n = job->repeats, bytes = 0;
  if (!n)
    return;
  qsort(job->milliseconds, n, sizeof *job->milliseconds, by_value);
  for (size_t i = 0; i < job->n_tensors; ++i)
    bytes += job->tensors[i].bytes;
  double median = n % 2 ? job->milliseconds[n / 2] : 0.5 * (job->milliseconds[n / 2 - 1] + job->milliseconds[n / 2]);
  printf("time: median %.5f ms, p10 %.5f, p90 %.5f, of %zu runs\n", median, job->milliseconds[n / 10],
         job->milliseconds[n - 1 - n / 10], n);
  if (median > 0)
    printf("rate: %.1f GB/s (%zu bytes: every tensor argument once)\n", (double)bytes / (median * 1e6), bytes);
}

static nereid_status_t find_output(const char *output, const tool_job_t *job, size_t *out_tensor, const char **out_path,
                                   nereid_message_t *message) {
  const char *equals = strchr(output, '=');
  if (!equals || !equals[1])
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "'%s': expected an output NAME=FILE.npy", output);
  *out_path = equals + 1;
  return tool_bind_find(job, nereid_view_of(output, (size_t)(equals - output)), out_tensor, message);
}

nereid_status_t tool_results_check_outputs(const tool_list_t *outputs, const tool_job_t *job,
                                           nereid_message_t *message) {
  size_t tensor = 0;
  const char *path = NULL;
  nereid_status_t status = NEREID_OK;
  for (size_t i = 0; !status && i < outputs->size; ++i) {
    status = find_output(outputs->items[i], job, &tensor, &path, message);
    if (!status)
      status = nereid_file_check(path, message);
  }
  return status;
}

nereid_status_t tool_results_outputs(nereid_arena_t *arena, const tool_list_t *outputs, const tool_job_t *job,
                                     nereid_message_t *message) {
  size_t tensor = 0;
  const char *path = NULL;
  nereid_status_t status = NEREID_OK;
  for (size_t i = 0; !status && i < outputs->size; ++i) {
    nereid_view_t bytes;
    status = find_output(outputs->items[i], job, &tensor, &path, message);
    if (!status)
      status = tool_npy_print(arena, &job->tensors[tensor], &bytes);
    if (!status)
      status = nereid_file_write(path, bytes, message);
  }
  return status;
}

bool tool_results_check(const tool_job_t *job, const tool_job_t *expected, const char *against, double tolerance) {
  bool good = true;
  for (size_t i = 0; i < job->n_tensors; ++i) {
    tool_difference_t difference = tool_compare(&job->tensors[i], &expected->tensors[i], tolerance);
    printf("check %s against %s: worst absolute %.3g, relative %.3g at element %zu, tolerance %.3g: %s\n",
           job->tensor_names[i], against, difference.absolute, difference.relative, difference.worst,
           difference.tolerance, difference.beyond ? "FAILED" : "ok");
    if (difference.beyond)
      printf("  %zu of %zu elements exceed the tolerance\n", difference.beyond, job->tensors[i].count);
    good &= difference.beyond == 0;
  }
  return good;
}

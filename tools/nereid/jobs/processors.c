/* Counts processors. A container limited to two processors on a large machine has all processors in its affinity mask,
 * and its limit in the control group: with a worker for each, it would run out of memory rather than be faster. */
#include "tools/nereid/jobs/processors.h"

#include "base/file.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

int64_t tool_processors_of_limit(nereid_view_t text) {
  char copy[64], *end;
  if (text.size >= sizeof copy)
    return 0;
  memcpy(copy, text.data, text.size);
  copy[text.size] = 0;
  const long long quota = strtoll(copy, &end, 10);
  const long long period = end != copy ? strtoll(end, NULL, 10) : 0;
  return quota > 0 && period > 0 ? quota / period + (quota % period != 0) : 0;
}

/* Returns the limit of this process's control group (version 2); 0 when there is none. In a container, its own group is
 * the root of the file system of groups. */
static int64_t read_limit(void) {
  nereid_arena_t arena;
  nereid_view_t text;
  int64_t limit = 0;
  nereid_arena_initialize(&arena);
  if (nereid_file_read(&arena, "/sys/fs/cgroup/cpu.max", &text, NULL) == NEREID_OK)
    limit = tool_processors_of_limit(text);
  nereid_arena_deinitialize(&arena);
  return limit;
}

int64_t tool_processors(void) {
  cpu_set_t allowed;
  int64_t n = sysconf(_SC_NPROCESSORS_ONLN);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    n = CPU_COUNT(&allowed);
  const int64_t limit = read_limit();
  if (limit && limit < n)
    n = limit;
  return n > 0 ? n : 1;
}

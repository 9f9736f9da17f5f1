/* nereid doctor: lists the tools and devices of this machine, and the ones that are missing for compiling to a cubin
 * and running it.
 *
 * The exit code is 0 when IR can be compiled to a cubin here (an assembler is installed), else 2. A missing GPU or
 * libdevice is reported but does not change the exit code. */
#include "tools/nereid/tool.h"

#include "nereid/compile.h"
#include "nereid/launch.h"
#include "target/assembler/assemble.h"
#include "target/prepare.h"
#include "tools/nereid/run/engine.h"

#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int run(int argc, char **argv);

const tool_command_t tool_command_doctor = {
    "doctor", "", "lists the tools and devices of this machine and what is missing to compile and run kernels",
    NULL,     0,  run};

/* Reads the output of a program, truncated to `room` bytes; false when it cannot be started. */
static bool output_of(const char *program, const char *argument, char *text, size_t room) {
  int ends[2];
  pid_t child;
  size_t size = 0;
  posix_spawn_file_actions_t actions;
  char *const words[] = {(char *)program, (char *)argument, NULL};
  if (pipe(ends))
    return false;
  bool good = posix_spawn_file_actions_init(&actions) == 0;
  good = good && posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) == 0 &&
         posix_spawn_file_actions_addclose(&actions, ends[0]) == 0 &&
         posix_spawn(&child, program, &actions, NULL, words, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  for (ssize_t got = 1; good && got > 0 && size + 1 < room; size += got > 0 ? (size_t)got : 0)
    got = read(ends[0], text + size, room - 1 - size);
  text[size] = '\0';
  close(ends[0]);
  return good && waitpid(child, NULL, 0) == child;
}

/* Returns the release that `ptxas --version` prints, such as "13.0, V13.0.88". */
static const char *assembler_version(nereid_arena_t *arena, const char *path) {
  char text[1024];
  char *release = output_of(path, "--version", text, sizeof text) ? strstr(text, "release ") : NULL;
  if (!release)
    return "version unknown";
  release[strcspn(release, "\n")] = '\0';
  const char *found = nereid_arena_copy(arena, nereid_view(release + strlen("release ")));
  return found ? found : "";
}

static bool report_ptxas(nereid_arena_t *arena) {
  const char *path = nereid_assembler_find_ptxas(NULL, arena);
  if (path)
    printf("ptxas      %s (%s)\n", path, assembler_version(arena, path));
  else
    puts("ptxas      missing: install CUDA's assembler (package cuda-nvcc) and set CUDA_HOME or PATH");
  return path != NULL;
}

static bool report_nvjitlink(void) {
  unsigned major = 0, minor = 0;
  bool there = nereid_assembler_has_nvjitlink(&major, &minor);
  if (there)
    printf("nvJitLink  %u.%u\n", major, minor);
  else
    puts("nvJitLink  missing: it is an assembler for machines without ptxas (package libnvjitlink)");
  return there;
}

static void report_libdevice(nereid_arena_t *arena) {
  const char *path = nereid_target_find_libdevice(NULL, arena);
  if (path)
    printf("libdevice  %s\n", path);
  else
    puts("libdevice  missing: kernels that call it do not compile; install cuda-nvcc, which contains it "
         "(nvvm/libdevice), or pass --libdevice");
}

static void report_gpu(void) {
  nereid_device_t *device;
  nereid_message_t message = {0};
  if (nereid_device_open(-1, &device, &message)) {
    printf("GPU        none: %s\n", message.text);
    return;
  }
  const nereid_device_info_t *info = nereid_device_info(device);
  printf("GPU        %s, sm_%d, %llu MiB, driver for CUDA %d.%d\n", info->name, (int)info->capability,
         (unsigned long long)(info->memory >> 20), (int)info->driver_version / 1000,
         (int)info->driver_version % 1000 / 10);
  nereid_device_close(device);
}

static void report_engines(void) {
  printf("run        ");
  for (size_t i = 0; i < tool_engine_count; ++i)
    printf("%s%s", i ? ", " : "on ", tool_engines[i]->name);
  puts(" (nereid run --on)");
}

static int diagnose(nereid_arena_t *arena) {
  printf("version    %s\n", nereid_compiler_version());
  bool assembler = report_ptxas(arena);
  assembler |= report_nvjitlink();
  report_libdevice(arena);
  report_gpu();
  report_engines();
  puts(assembler ? "compiling to a cubin: possible"
                 : "compiling to a cubin: impossible without ptxas or nvJitLink; --emit ptx works");
  return assembler ? TOOL_DONE : TOOL_CALL;
}

static int run(int argc, char **argv) {
  nereid_arena_t arena;
  tool_list_t operands = {0};
  nereid_arena_initialize(&arena);
  int code = tool_options_parse(&arena, &tool_command_doctor, argc, argv, NULL, &operands);
  if (code == TOOL_CONTINUE && operands.size) {
    tool_error(&tool_command_doctor, "takes no operands");
    code = TOOL_CALL;
  }
  if (code == TOOL_CONTINUE)
    code = diagnose(&arena);
  nereid_arena_deinitialize(&arena);
  return code;
}

/* nereid-lsp-server: MLIR's language server with the dialects of Nereid (.ttir, .ttgir, .mlir).
 *
 * An editor starts it and uses the language server protocol over stdin and stdout: diagnostics while typing, go to
 * definition, hover. It registers the same dialects as nereid-opt.
 *
 * MLIR's parser, verifier and printer recurse for every bracket of a document, which arrives in fragments and cannot be
 * checked first. So the server runs on a stack for some millions of open brackets, whose pages are allocated on use. */
#include "seam/context.h"
#include "seam/opt_main.h"

#include <pthread.h>
#include <sys/mman.h>

static const size_t stack_size = (size_t)16 << 30;

typedef struct server {
  int argc;
  char **argv;
  int status;
} server_t;

static void *serve(void *argument) {
  server_t *server = argument;
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  nereidMlirRegisterDialects(registry);
  server->status = nereidMlirLspServerMain(server->argc, server->argv, registry);
  mlirDialectRegistryDestroy(registry);
  return NULL;
}

/* False when the stack cannot be allocated. */
static bool serve_on_large_stack(server_t *server) {
  pthread_attr_t attributes;
  pthread_t thread;
  void *stack =
      mmap(NULL, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED || pthread_attr_init(&attributes) != 0)
    return false;
  const bool is_started = pthread_attr_setstack(&attributes, stack, stack_size) == 0 &&
                          pthread_create(&thread, &attributes, serve, server) == 0;
  pthread_attr_destroy(&attributes);
  return is_started && pthread_join(thread, NULL) == 0;
}

int main(int argc, char **argv) {
  server_t server = {.argc = argc, .argv = argv};
  if (!serve_on_large_stack(&server))
    serve(&server);
  return server.status;
}

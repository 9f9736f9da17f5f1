/* The loop of a small inference server, y = gelu(softmax(x)) for requests of different lengths:
 *
 *   serve_graphs examples/softmax.ttir examples/gelu.ttir [emulator | GPU]
 *
 * A graph contains the values of its arguments, so there is one graph per bucket of lengths, the powers of two from
 * 256. The first request of a bucket tunes both kernels for it and captures their launches, which then use the winners.
 * Every request is padded into the memory of its graph with values whose softmax is 0. A device without graphs launches
 * the kernels instead. Exit status: 0 all results are right; 1 some are not, or a call failed; 3 there is no such
 * device. */
#include "nereid/kernel.h"
#include "nereid/stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 4, MIN_BUCKET = 256, MAX_LENGTH = 2000, N_BUCKETS = 4, REQUESTS = 25, NO_DEVICE = 3 };
static const float padding = -1e30f;

/* Memory and graph for requests up to `length`. */
typedef struct bucket {
  int32_t length;
  uint64_t x, y;         /* ROWS x length floats */
  nereid_graph_t *graph; /* null: the device has no graphs, or the bucket was not used yet */
  bool ready;
} bucket_t;

typedef struct server {
  nereid_device_t *device;
  void *stream;
  nereid_lazy_pool_t *pool;
  nereid_lazy_kernel_t *softmax, *gelu;
  bucket_t buckets[N_BUCKETS];
  int graphs, replays;
} server_t;

static nereid_status_t create_kernels(server_t *server, const char *softmax, const char *gelu,
                                      nereid_message_t *message) {
  static const nereid_constant_t blocks[] = {{"BLOCK", "256"}, {"BLOCK", "1024"}};
  static const nereid_lazy_configuration_t of_softmax[] = {{.num_warps = 4, .n_constants = 1, .constants = &blocks[0]},
                                                           {.num_warps = 4, .n_constants = 1, .constants = &blocks[1]}};
  static const nereid_lazy_configuration_t of_gelu[] = {{.num_warps = 2}, {.num_warps = 8}};
  nereid_lazy_options_t options = {.size = sizeof options,
                                   .path = softmax,
                                   .n_configurations = 2,
                                   .configurations = of_softmax,
                                   .compiler = nereid_lazy_compiler(),
                                   .pool = server->pool};
  nereid_status_t status = nereid_lazy_create(server->device, &options, &server->softmax, message);
  options.path = gelu;
  options.grid = "x = ceildiv(n, 1024)";
  options.configurations = of_gelu;
  return status ? status : nereid_lazy_create(server->device, &options, &server->gelu, message);
}

/* Calls one of nereid_lazy_launch and nereid_lazy_tune for both kernels. gelu works in place: tuning restores y. */
static nereid_status_t call_kernels(server_t *server, const bucket_t *bucket,
                                    nereid_status_t (*call)(nereid_lazy_kernel_t *, const nereid_lazy_launch_t *,
                                                            size_t, const nereid_value_t *, nereid_message_t *),
                                    nereid_message_t *message) {
  const int32_t n = ROWS * bucket->length;
  const uint64_t sizes[] = {(uint64_t)n * sizeof(float), 0, 0};
  const nereid_value_t of_softmax[] = {nereid_value_pointer(bucket->x), nereid_value_pointer(bucket->y),
                                       nereid_value_i32(ROWS), nereid_value_i32(bucket->length)};
  const nereid_value_t of_gelu[] = {nereid_value_pointer(bucket->y), nereid_value_pointer(bucket->y),
                                    nereid_value_i32(n)};
  nereid_lazy_launch_t launch = {.launch = {.stream = server->stream}, .key = (uint64_t)bucket->length};
  nereid_status_t status = call(server->softmax, &launch, 4, of_softmax, message);
  launch.sizes = sizes;
  return status ? status : call(server->gelu, &launch, 3, of_gelu, message);
}

/* Tunes the kernels for the bucket's shape, and captures their launches. */
static nereid_status_t prepare(server_t *server, bucket_t *bucket, nereid_message_t *message) {
  const uint64_t bytes = (uint64_t)ROWS * (uint64_t)bucket->length * sizeof(float);
  nereid_status_t status = nereid_device_allocate(server->device, bytes, &bucket->x, message);
  if (!status)
    status = nereid_device_allocate(server->device, bytes, &bucket->y, message);
  if (!status)
    status = nereid_device_fill(server->device, bucket->x, 0, bytes, server->stream, message);
  if (!status)
    status = call_kernels(server, bucket, nereid_lazy_tune, message);
  if (status)
    return status;
  bucket->ready = true;
  if (!server->stream)
    return NEREID_OK;
  status = nereid_stream_capture(server->device, server->stream, message);
  if (status)
    return status;
  status = call_kernels(server, bucket, nereid_lazy_launch, message);
  nereid_status_t ended = nereid_stream_end_capture(server->device, server->stream, &bucket->graph, message);
  server->graphs += !status && !ended;
  return status ? status : ended;
}

static bucket_t *bucket_of(server_t *server, int32_t length) {
  bucket_t *bucket = server->buckets;
  while (bucket->length < length)
    ++bucket;
  return bucket;
}

/* Computes y for x, both ROWS x length. */
static nereid_status_t serve(server_t *server, int32_t length, const float *x, float *y, nereid_message_t *message) {
  static float padded[ROWS * (MIN_BUCKET << (N_BUCKETS - 1))];
  bucket_t *bucket = bucket_of(server, length);
  const size_t bytes = ROWS * (size_t)bucket->length * sizeof(float);
  nereid_status_t status = bucket->ready ? NEREID_OK : prepare(server, bucket, message);
  for (int32_t i = 0; i < ROWS * bucket->length; ++i) {
    const int32_t row = i / bucket->length, column = i % bucket->length;
    padded[i] = column < length ? x[row * length + column] : padding;
  }
  if (!status)
    status = nereid_device_upload(server->device, bucket->x, padded, bytes, message);
  if (!status) /* the stream does not wait for the default stream, on which the driver copies */
    status = nereid_stream_synchronize(server->device, NULL, message);
  if (!status)
    status = bucket->graph ? nereid_graph_launch(bucket->graph, server->stream, message)
                           : call_kernels(server, bucket, nereid_lazy_launch, message);
  server->replays += !status && bucket->graph;
  if (!status)
    status = nereid_stream_synchronize(server->device, server->stream, message);
  if (!status)
    status = nereid_device_download(server->device, padded, bucket->y, bytes, message);
  for (int32_t i = 0; !status && i < ROWS * length; ++i)
    y[i] = padded[i / length * bucket->length + i % length];
  return status;
}

static int count_wrong(int32_t length, const float *x, const float *y) {
  int wrong = 0;
  for (int row = 0; row < ROWS; ++row) {
    double sum = 0;
    for (int i = 0; i < length; ++i)
      sum += exp((double)x[row * length + i]);
    for (int i = 0; i < length; ++i) {
      const double p = exp((double)x[row * length + i]) / sum;
      const double expected = p / (1 + exp(-1.5957691216057308 * (p + 0.044715 * p * p * p)));
      wrong += !(fabs((double)y[row * length + i] - expected) <= 1e-5 * expected);
    }
  }
  return wrong;
}

static nereid_status_t serve_all(server_t *server, int *out_wrong, nereid_message_t *message) {
  static float x[ROWS * MAX_LENGTH], y[ROWS * MAX_LENGTH];
  nereid_status_t status = NEREID_OK;
  uint32_t random = 1;
  for (int k = 0; !status && k < REQUESTS; ++k) {
    random = random * 1664525 + 1013904223;
    const int32_t length = (int32_t)(random >> 8) % MAX_LENGTH + 1;
    for (int i = 0; i < ROWS * length; ++i)
      x[i] = (float)(((i + k) * 7919 % 2001) - 1000) / 250;
    status = serve(server, length, x, y, message);
    if (!status)
      *out_wrong += count_wrong(length, x, y);
  }
  return status;
}

static void close_server(server_t *server) {
  for (bucket_t *bucket = server->buckets; bucket < server->buckets + N_BUCKETS; ++bucket) {
    nereid_graph_destroy(bucket->graph);
    nereid_device_free(server->device, bucket->x);
    nereid_device_free(server->device, bucket->y);
  }
  nereid_lazy_destroy(server->softmax);
  nereid_lazy_destroy(server->gelu);
  nereid_lazy_pool_destroy(server->pool);
  nereid_stream_destroy(server->device, server->stream);
  nereid_device_close(server->device);
}

int main(int argc, char **argv) {
  server_t server = {0};
  nereid_message_t message = {""};
  int wrong = 0;
  if (argc < 3) {
    fputs("usage: serve_graphs examples/softmax.ttir examples/gelu.ttir [emulator | GPU]\n", stderr);
    return 1;
  }
  if (nereid_device_open_named(argc > 3 ? argv[3] : "emulator", &server.device, &message)) {
    fprintf(stderr, "%s\n", message.text);
    return NO_DEVICE;
  }
  for (int i = 0; i < N_BUCKETS; ++i)
    server.buckets[i].length = MIN_BUCKET << i;
  nereid_status_t status = nereid_stream_create(server.device, &server.stream, &message);
  if (status == NEREID_ERROR_UNSUPPORTED)
    status = NEREID_OK; /* no graphs: the kernels are launched on the default stream */
  if (!status)
    status = nereid_lazy_pool_create(2, &server.pool, &message);
  if (!status)
    status = create_kernels(&server, argv[1], argv[2], &message);
  if (!status)
    status = serve_all(&server, &wrong, &message);
  if (status)
    fprintf(stderr, "%s: %s\n", nereid_status_string(status), message.text);
  else
    printf("%d requests, %d graphs, %d replays, %d elements wrong\n", REQUESTS, server.graphs, server.replays, wrong);
  close_server(&server);
  return status || wrong ? 1 : 0;
}

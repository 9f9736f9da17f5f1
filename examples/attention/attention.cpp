/* Attention in a C++ program, with kernels that were compiled ahead of time.
 *
 *   attention [emulator | GPU]
 *
 * The header kernels.h is generated from attention.ttir when the program is built. The program contains the images for
 * its GPUs, and needs neither a compiler nor files at run time. Exit status: 0 all results are right; 1 some are not,
 * or a call failed; 3 there is no such device. */
#include "kernels.h"

#include "base/float.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

enum { HEADS = 2, DEPTH = 64, NO_DEVICE = 3 };

nereid_message_t message;

/* Ends the program after a failed call. */
void require(nereid_status_t status, const char *what) {
  if (status == NEREID_OK)
    return;
  std::fprintf(stderr, "%s: %s: %s\n", what, nereid_status_string(status), message.text);
  std::exit(1);
}

/* A tensor of 16-bit floats in device memory, [HEADS, length, DEPTH]. */
class DeviceTensor {
public:
  DeviceTensor(nereid_device_t *device, int length) : device(device), length(length) {
    require(nereid_device_allocate(device, bytes(), &address, &message), "allocate");
  }
  ~DeviceTensor() {
    nereid_device_free(device, address);
  }
  DeviceTensor(const DeviceTensor &) = delete;
  DeviceTensor &operator=(const DeviceTensor &) = delete;

  void upload(const std::vector<float> &values) {
    std::vector<uint16_t> halves(values.size());
    std::transform(values.begin(), values.end(), halves.begin(),
                   [](float value) { return nereid_float_to_f16(double{value}, NEREID_FLOAT_NEAREST); });
    require(nereid_device_upload(device, address, halves.data(), bytes(), &message), "upload");
  }

  std::vector<float> download() const {
    std::vector<uint16_t> halves(size());
    std::vector<float> values(size());
    require(nereid_device_download(device, halves.data(), address, bytes(), &message), "download");
    std::transform(halves.begin(), halves.end(), values.begin(), nereid_float_from_f16);
    return values;
  }

  /* What a launch function takes for a descriptor. */
  nereid_tensor_t view() const {
    nereid_tensor_t tensor = {};
    tensor.address = address;
    tensor.rank = 3;
    tensor.shape[0] = HEADS;
    tensor.shape[1] = static_cast<uint64_t>(length);
    tensor.shape[2] = DEPTH;
    return tensor;
  }

private:
  size_t size() const {
    return static_cast<size_t>(HEADS) * static_cast<size_t>(length) * DEPTH;
  }
  size_t bytes() const {
    return size() * sizeof(uint16_t);
  }

  nereid_device_t *device;
  int length;
  uint64_t address = 0;
};

/* Numbers from -1 to 1 that 16-bit floats represent exactly. */
std::vector<float> make_values(int length, unsigned seed) {
  std::vector<float> values(static_cast<size_t>(HEADS) * static_cast<size_t>(length) * DEPTH);
  for (float &value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<float>(static_cast<int>(seed >> 24) - 128) / 128;
  }
  return values;
}

/* One row of the result, in double precision. */
std::vector<double> reference_row(const float *q, const float *k, const float *v, int keys, double scale) {
  std::vector<double> weights(static_cast<size_t>(keys)), row(DEPTH, 0.0);
  double largest = -INFINITY, sum = 0;
  for (int j = 0; j < keys; ++j) {
    double score = 0;
    for (int d = 0; d < DEPTH; ++d)
      score += double{q[d]} * double{k[j * DEPTH + d]};
    weights[static_cast<size_t>(j)] = score * scale;
    largest = std::max(largest, score * scale);
  }
  for (double &weight : weights)
    sum += weight = std::exp(weight - largest);
  for (int j = 0; j < keys; ++j)
    for (int d = 0; d < DEPTH; ++d)
      row[static_cast<size_t>(d)] += weights[static_cast<size_t>(j)] / sum * double{v[j * DEPTH + d]};
  return row;
}

/* The largest error of a result. Weights are rounded to 16 bits before the second product, and so is the result: errors
 * are below 2^-10 of the largest value, which is 1. */
double largest_error(const std::vector<float> &o, const std::vector<float> &q, const std::vector<float> &k,
                     const std::vector<float> &v, int queries, int keys, double scale) {
  double largest = 0;
  for (int head = 0; head < HEADS; ++head)
    for (int i = 0; i < queries; ++i) {
      const ptrdiff_t at = (ptrdiff_t{head} * queries + i) * DEPTH, other = ptrdiff_t{head} * keys * DEPTH;
      const std::vector<double> row = reference_row(&q[static_cast<size_t>(at)], &k[static_cast<size_t>(other)],
                                                    &v[static_cast<size_t>(other)], keys, scale);
      for (int d = 0; d < DEPTH; ++d)
        largest = std::max(largest, std::fabs(row[static_cast<size_t>(d)] - double{o[static_cast<size_t>(at + d)]}));
    }
  return largest;
}

/* Launches attention for one pair of lengths. Long sequences use the larger tile. */
bool run(nereid_device_t *device, nereid_library_t *library, int queries, int keys) {
  const std::vector<float> q = make_values(queries, 1), k = make_values(keys, 2), v = make_values(keys, 3);
  DeviceTensor dq(device, queries), dk(device, keys), dv(device, keys), result(device, queries);
  const float scale = 1 / std::sqrt(static_cast<float>(DEPTH));
  dq.upload(q);
  dk.upload(k);
  dv.upload(v);
  const nereid_tensor_t tq = dq.view(), tk = dk.view(), tv = dv.view(), to = result.view();
  const bool is_long = queries > 64;
  const auto launch = is_long ? kernels_attention_large : kernels_attention_small;
  require(launch(library, nullptr, &tq, &tk, &tv, &to, scale, &message), "attention");
  require(nereid_device_synchronize(device, &message), "synchronize");
  const double error = largest_error(result.download(), q, k, v, queries, keys, double{scale});
  const bool is_right = error < 1.0 / 1024;
  std::printf("%d queries, %d keys, %s tile: %s\n", queries, keys, is_long ? "large" : "small",
              is_right ? "right" : ("error " + std::to_string(error)).c_str());
  return is_right;
}

} // namespace

int main(int argc, char **argv) {
  nereid_device_t *device = nullptr;
  nereid_library_t *library = nullptr;
  if (nereid_device_open_named(argc > 1 ? argv[1] : "emulator", &device, &message)) {
    std::printf("no device: %s\n", message.text);
    return NO_DEVICE;
  }
  require(kernels_open(device, &library, &message), "open");
  bool is_right = run(device, library, 40, 100);
  is_right &= run(device, library, 130, 192);
  nereid_library_close(library);
  nereid_device_close(device);
  return is_right ? 0 : 1;
}

// Row-wise operators of neural networks, on row-major matrices.

__device__ inline float warp_max(float value) {
  for (int mask = 16; mask > 0; mask /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, mask));
  }
  return value;
}

__device__ inline float warp_sum(float value) {
  for (int mask = 16; mask > 0; mask /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, mask);
  }
  return value;
}

/// `combine` of a value of every thread, for all threads of a block of 256.
template <typename Combine>
__device__ float over_block(float value, float neutral, Combine combine) {
  __shared__ float warps[8];
  const int lane = threadIdx.x % 32;
  value = combine(value);
  __syncthreads();
  if (lane == 0) {
    warps[threadIdx.x / 32] = value;
  }
  __syncthreads();
  return combine(lane < 8 ? warps[lane] : neutral);
}

/// A row per block of 256 threads; the row is read three times.
extern "C" __global__ void softmax_block(const float* __restrict__ in, float* __restrict__ out,
                                         int columns) {
  const float* const row = in + static_cast<long long>(blockIdx.x) * columns;
  float* const result = out + static_cast<long long>(blockIdx.x) * columns;
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += 256) {
    largest = fmaxf(largest, row[i]);
  }
  largest = over_block(largest, -INFINITY, warp_max);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += 256) {
    sum += expf(row[i] - largest);
  }
  sum = over_block(sum, 0.0f, warp_sum);
  const float scale = 1.0f / sum;
  for (int i = threadIdx.x; i < columns; i += 256) {
    result[i] = expf(row[i] - largest) * scale;
  }
}

/// A row of at most 512 elements per warp, kept in registers.
extern "C" __global__ void softmax_warp(const float* __restrict__ in, float* __restrict__ out,
                                        int rows, int columns) {
  constexpr int per_lane = 16;
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) {
    return;
  }
  const long long first = static_cast<long long>(row) * columns;
  float values[per_lane];
  float largest = -INFINITY;
#pragma unroll
  for (int j = 0; j < per_lane; ++j) {
    const int i = lane + 32 * j;
    values[j] = i < columns ? in[first + i] : -INFINITY;
    largest = fmaxf(largest, values[j]);
  }
  largest = warp_max(largest);
  float sum = 0.0f;
#pragma unroll
  for (int j = 0; j < per_lane; ++j) {
    values[j] = __expf(values[j] - largest);
    sum += values[j];
  }
  const float scale = 1.0f / warp_sum(sum);
#pragma unroll
  for (int j = 0; j < per_lane; ++j) {
    const int i = lane + 32 * j;
    if (i < columns) {
      out[first + i] = values[j] * scale;
    }
  }
}

/// A row per block of 256 threads: mean and variance in one pass, then scale and shift.
extern "C" __global__ void layer_norm(const float* __restrict__ in, const float* __restrict__ gamma,
                                      const float* __restrict__ beta, float* __restrict__ out,
                                      int columns, float epsilon) {
  const float* const row = in + static_cast<long long>(blockIdx.x) * columns;
  float* const result = out + static_cast<long long>(blockIdx.x) * columns;
  float sum = 0.0f;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < columns; i += 256) {
    const float value = row[i];
    sum += value;
    squares += value * value;
  }
  const float mean = over_block(sum, 0.0f, warp_sum) / columns;
  const float variance = over_block(squares, 0.0f, warp_sum) / columns - mean * mean;
  const float scale = rsqrtf(variance + epsilon);
  for (int i = threadIdx.x; i < columns; i += 256) {
    result[i] = (row[i] - mean) * scale * gamma[i] + beta[i];
  }
}

// Products of row-major matrices and vectors.

/// C = A B by blocks of 16 x 16 threads, an output each.
extern "C" __global__ void gemm_16(const float* __restrict__ a, const float* __restrict__ b,
                                   float* __restrict__ c, int m, int n, int k) {
  __shared__ float tile_a[16][16];
  __shared__ float tile_b[16][16];
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int first = 0; first < k; first += 16) {
    const int ka = first + threadIdx.x;
    const int kb = first + threadIdx.y;
    tile_a[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * k + ka] : 0.0f;
    tile_b[threadIdx.y][threadIdx.x] = kb < k && column < n ? b[kb * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    }
    __syncthreads();
  }
  if (row < m && column < n) {
    c[row * n + column] = sum;
  }
}

/// C = A B by blocks of 16 x 16 threads, 4 x 4 outputs each; A is kept transposed in its tile.
extern "C" __global__ void gemm_64(const float* __restrict__ a, const float* __restrict__ b,
                                   float* __restrict__ c, int m, int n, int k) {
  constexpr int side = 64;
  constexpr int depth = 16;
  alignas(16) __shared__ float tile_a[depth][side + 4];
  alignas(16) __shared__ float tile_b[depth][side];
  const int thread = threadIdx.y * 16 + threadIdx.x;
  const int first_row = blockIdx.y * side;
  const int first_column = blockIdx.x * side;
  float sums[4][4] = {};
  for (int first = 0; first < k; first += depth) {
    for (int i = thread; i < side * depth; i += 256) {
      const int row = first_row + i / depth;
      const int ka = first + i % depth;
      tile_a[i % depth][i / depth] = row < m && ka < k ? a[row * k + ka] : 0.0f;
      const int kb = first + i / side;
      const int column = first_column + i % side;
      tile_b[i / side][i % side] = kb < k && column < n ? b[kb * n + column] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < depth; ++i) {
      const float4 left = *reinterpret_cast<const float4*>(&tile_a[i][threadIdx.y * 4]);
      const float4 right = *reinterpret_cast<const float4*>(&tile_b[i][threadIdx.x * 4]);
      const float rows[4] = {left.x, left.y, left.z, left.w};
      const float columns[4] = {right.x, right.y, right.z, right.w};
      for (int y = 0; y < 4; ++y) {
        for (int x = 0; x < 4; ++x) {
          sums[y][x] += rows[y] * columns[x];
        }
      }
    }
    __syncthreads();
  }
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 4; ++x) {
      const int row = first_row + threadIdx.y * 4 + y;
      const int column = first_column + threadIdx.x * 4 + x;
      if (row < m && column < n) {
        c[row * n + column] = sums[y][x];
      }
    }
  }
}

/// C = A B in double precision by blocks of 16 x 16 threads, 2 x 2 outputs each.
extern "C" __global__ void gemm_f64(const double* __restrict__ a, const double* __restrict__ b,
                                    double* __restrict__ c, int m, int n, int k) {
  __shared__ double tile_a[32][17];
  __shared__ double tile_b[16][32];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * 32 + ty;
  const int column = blockIdx.x * 32 + tx;
  double sums[2][2] = {};
  for (int first = 0; first < k; first += 16) {
    const int ka = first + tx;
    const int kb = first + ty;
    tile_a[ty][tx] = row < m && ka < k ? a[row * k + ka] : 0.0;
    tile_a[ty + 16][tx] = row + 16 < m && ka < k ? a[(row + 16) * k + ka] : 0.0;
    tile_b[ty][tx] = kb < k && column < n ? b[kb * n + column] : 0.0;
    tile_b[ty][tx + 16] = kb < k && column + 16 < n ? b[kb * n + column + 16] : 0.0;
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      const double a0 = tile_a[ty][i];
      const double a1 = tile_a[ty + 16][i];
      const double b0 = tile_b[i][tx];
      const double b1 = tile_b[i][tx + 16];
      sums[0][0] += a0 * b0;
      sums[0][1] += a0 * b1;
      sums[1][0] += a1 * b0;
      sums[1][1] += a1 * b1;
    }
    __syncthreads();
  }
  for (int y = 0; y < 2; ++y) {
    for (int x = 0; x < 2; ++x) {
      if (row + 16 * y < m && column + 16 * x < n) {
        c[(row + 16 * y) * n + column + 16 * x] = sums[y][x];
      }
    }
  }
}

/// C += A^T B with A stored as k x m; blocks along z share k and add with atomics.
extern "C" __global__ void gemm_split_k(const float* __restrict__ a, const float* __restrict__ b,
                                        float* c, int m, int n, int k, int k_per_block) {
  __shared__ float tile_a[16][32];
  __shared__ float tile_b[16][32];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * 32;
  const int column = blockIdx.x * 32 + tx;
  const int begin = blockIdx.z * k_per_block;
  const int end = min(k, begin + k_per_block);
  float sums[4] = {};
  for (int first = begin; first < end; first += 16) {
    for (int i = ty; i < 16; i += 8) {
      const bool inside = first + i < end;
      tile_a[i][tx] = inside && row + tx < m ? a[(first + i) * m + row + tx] : 0.0f;
      tile_b[i][tx] = inside && column < n ? b[(first + i) * n + column] : 0.0f;
    }
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      for (int y = 0; y < 4; ++y) {
        sums[y] += tile_a[i][ty + 8 * y] * tile_b[i][tx];
      }
    }
    __syncthreads();
  }
  for (int y = 0; y < 4; ++y) {
    if (row + ty + 8 * y < m && column < n) {
      atomicAdd(&c[(row + ty + 8 * y) * n + column], sums[y]);
    }
  }
}

/// y = A x, a row per warp.
extern "C" __global__ void matrix_vector(const float* __restrict__ a, const float* __restrict__ x,
                                         float* __restrict__ y, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) {
    return;
  }
  const float* const values = a + static_cast<long long>(row) * columns;
  float sum = 0.0f;
  for (int i = lane; i < columns; i += 32) {
    sum += values[i] * x[i];
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, distance);
  }
  if (lane == 0) {
    y[row] = sum;
  }
}

/// Many products of 8 x 8 matrices: blocks of 8 x 8 x 4 threads take four of them.
extern "C" __global__ void batched_8(const float* __restrict__ a, const float* __restrict__ b,
                                     float* __restrict__ c, int batch) {
  __shared__ float tile_a[4][8][8];
  __shared__ float tile_b[4][8][8];
  const int one = blockIdx.x * 4 + threadIdx.z;
  const int offset = one * 64 + threadIdx.y * 8 + threadIdx.x;
  if (one < batch) {
    tile_a[threadIdx.z][threadIdx.y][threadIdx.x] = a[offset];
    tile_b[threadIdx.z][threadIdx.y][threadIdx.x] = b[offset];
  }
  __syncthreads();
  if (one < batch) {
    float sum = 0.0f;
    for (int i = 0; i < 8; ++i) {
      sum += tile_a[threadIdx.z][threadIdx.y][i] * tile_b[threadIdx.z][i][threadIdx.x];
    }
    c[offset] = sum;
  }
}

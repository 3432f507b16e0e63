// Transposes of a row-major matrix of `height` x `width`.

/// Reads rows, writes columns.
extern "C" __global__ void transpose_naive(const float* __restrict__ in, float* __restrict__ out,
                                           int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    out[x * height + y] = in[y * width + x];
  }
}

/// Through a tile of 32 rows of `Pitch` elements, by blocks of 32 x 8.
template <int Pitch>
__device__ void transpose_through_tile(const float* __restrict__ in, float* __restrict__ out,
                                       int width, int height) {
  constexpr int side = 32;
  constexpr int rows = 8;
  __shared__ float tile[side][Pitch];
  int x = blockIdx.x * side + threadIdx.x;
  int y = blockIdx.y * side + threadIdx.y;
  for (int j = 0; j < side; j += rows) {
    if (x < width && y + j < height) {
      tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    }
  }
  __syncthreads();
  x = blockIdx.y * side + threadIdx.x;
  y = blockIdx.x * side + threadIdx.y;
  for (int j = 0; j < side; j += rows) {
    if (x < height && y + j < width) {
      out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
    }
  }
}

/// A column of the tile lies in one bank.
extern "C" __global__ void transpose_conflicts(const float* __restrict__ in,
                                               float* __restrict__ out, int width, int height) {
  transpose_through_tile<32>(in, out, width, height);
}

/// A column of the tile lies in 32 banks.
extern "C" __global__ void transpose_padded(const float* __restrict__ in, float* __restrict__ out,
                                            int width, int height) {
  transpose_through_tile<33>(in, out, width, height);
}

// Stencils on regular grids; boundaries keep their value or are left out.

/// Mean of three neighbours.
extern "C" __global__ void stencil_1d3(const float* __restrict__ in, float* __restrict__ out,
                                       int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) {
    out[i] = (in[i - 1] + in[i] + in[i + 1]) * (1.0f / 3.0f);
  }
}

/// A Jacobi step of five points, straight from global memory.
extern "C" __global__ void stencil_2d5(const float* __restrict__ in, float* __restrict__ out,
                                       int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
    const int i = y * nx + x;
    out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]);
  }
}

/// The same through a tile in shared memory with a border of one; blocks are 32 x 16.
extern "C" __global__ void stencil_2d5_tiled(const float* __restrict__ in, float* __restrict__ out,
                                             int nx, int ny) {
  constexpr int width = 32;
  constexpr int height = 16;
  __shared__ float tile[height + 2][width + 2];
  const int x = blockIdx.x * width + threadIdx.x;
  const int y = blockIdx.y * height + threadIdx.y;
  const int tx = threadIdx.x + 1;
  const int ty = threadIdx.y + 1;
  const auto load = [&](int gx, int gy) {
    return gx >= 0 && gx < nx && gy >= 0 && gy < ny ? in[gy * nx + gx] : 0.0f;
  };
  tile[ty][tx] = load(x, y);
  if (threadIdx.x == 0) {
    tile[ty][0] = load(x - 1, y);
  }
  if (threadIdx.x == width - 1) {
    tile[ty][width + 1] = load(x + 1, y);
  }
  if (threadIdx.y == 0) {
    tile[0][tx] = load(x, y - 1);
  }
  if (threadIdx.y == height - 1) {
    tile[height + 1][tx] = load(x, y + 1);
  }
  __syncthreads();
  if (x < nx && y < ny) {
    out[y * nx + x] = 0.2f * (tile[ty][tx] + tile[ty][tx - 1] + tile[ty][tx + 1] +
                              tile[ty - 1][tx] + tile[ty + 1][tx]);
  }
}

/// Seven points; a thread walks along z and keeps three planes' values in registers.
extern "C" __global__ void stencil_3d7(const float* __restrict__ in, float* __restrict__ out,
                                       int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || x >= nx - 1 || y == 0 || y >= ny - 1) {
    return;
  }
  const int plane = nx * ny;
  int i = y * nx + x;
  float below = in[i];
  float here = in[i + plane];
  i += plane;
  for (int z = 1; z < nz - 1; ++z, i += plane) {
    const float above = in[i + plane];
    out[i] = 0.4f * here + 0.1f * (below + above + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]);
    below = here;
    here = above;
  }
}

// Codes that compute more than they load: special functions, divergence, tiles of bodies.

/// A sum of damped waves at every point.
extern "C" __global__ void wave_sum(const float* __restrict__ in, float* __restrict__ out, int n,
                                    int waves) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  const float x = in[i];
  float sum = 0.0f;
  for (int wave = 1; wave <= waves; ++wave) {
    const float phase = x * wave;
    sum += __expf(-0.01f * wave) * __sinf(phase) * rsqrtf(1.0f + phase * phase);
  }
  out[i] = sum;
}

/// Iterations until a point of the complex plane escapes; neighbours escape at different times.
extern "C" __global__ void mandelbrot(int* __restrict__ out, int width, int height,
                                      int most_iterations) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x;
  const int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) {
    return;
  }
  const float cx = -2.2f + 3.0f * px / width;
  const float cy = -1.2f + 2.4f * py / height;
  float x = 0.0f;
  float y = 0.0f;
  int iteration = 0;
  while (iteration < most_iterations && x * x + y * y < 4.0f) {
    const float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    ++iteration;
  }
  out[py * width + px] = iteration;
}

/// Accelerations of bodies (x, y, z, mass) by all others; a block of 256 shares a tile of them.
extern "C" __global__ void nbody(const float4* __restrict__ bodies, float4* __restrict__ out,
                                 int n) {
  __shared__ float4 tile[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float4 own = i < n ? bodies[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  float ax = 0.0f;
  float ay = 0.0f;
  float az = 0.0f;
  for (int first = 0; first < n; first += 256) {
    const int other = first + threadIdx.x;
    tile[threadIdx.x] = other < n ? bodies[other] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < 256; ++j) {
      const float dx = tile[j].x - own.x;
      const float dy = tile[j].y - own.y;
      const float dz = tile[j].z - own.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
      const float strength = tile[j].w * inverse * inverse * inverse;
      ax += strength * dx;
      ay += strength * dy;
      az += strength * dz;
    }
    __syncthreads();
  }
  if (i < n) {
    out[i] = make_float4(ax, ay, az, own.w);
  }
}

// Vectors: one pass over memory.

/// y = a x + y
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a * x[i] + y[i];
  }
}

/// One element at a time, with a grid of any size.
extern "C" __global__ void copy_f32(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = in[i];
  }
}

/// Four elements at a time; n counts float4.
extern "C" __global__ void copy_f32x4(const float4* __restrict__ in, float4* __restrict__ out,
                                      int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = in[i];
  }
}

/// Every stride-th element.
extern "C" __global__ void gather_strided(const float* __restrict__ in, float* __restrict__ out,
                                          int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = in[static_cast<long long>(i) * stride];
  }
}

/// a = b + s c in double precision, as in STREAM.
extern "C" __global__ void triad_f64(double* __restrict__ a, const double* __restrict__ b,
                                     const double* __restrict__ c, double s, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    a[i] = b[i] + s * c[i];
  }
}

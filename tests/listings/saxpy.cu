// The source of saxpy-sm_90.json: nvcc -cubin -arch=sm_90 -lineinfo saxpy.cu, then
// perfmodel ledger --cubin saxpy.cubin --save-listing saxpy-sm_90.json
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a * x[i] + y[i];
  }
}

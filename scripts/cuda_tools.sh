# Sourced by the other scripts, from the root of the project: installs NVIDIA's disassembler.

# has_cuda_tool NAME: whether perfmodel will find it; the places are those of model/sass/tools.cpp.
has_cuda_tool() {
  local folder
  command -v "$1" >/dev/null && return
  for folder in "${CUDA_HOME:-/nonexistent}" "${CUDA_PATH:-/nonexistent}" /usr/local/cuda; do
    [ -x "$folder/bin/$1" ] && return
  done
  for folder in build/cuda-tools/lib/python3*/site-packages/nvidia/*/bin; do
    [ -x "$folder/$1" ] && return
  done
  return 1
}

# install_cuda_tools: nvdisasm and cuobjdump from PyPI into build/cuda-tools, where neither a CUDA
# Toolkit nor an earlier run brought them. Without a network it says what will not work, and goes on.
install_cuda_tools() {
  local wanted=() tool
  for tool in nvdisasm cuobjdump; do
    has_cuda_tool $tool || wanted+=("nvidia-cuda-$tool==13.*")
  done
  if [ ${#wanted[@]} -eq 0 ]; then
    return
  fi
  echo "== Installing ${wanted[*]}"
  if python3 -m venv build/cuda-tools &&
    build/cuda-tools/bin/pip install --quiet --disable-pip-version-check --retries 1 \
      --timeout 15 "${wanted[@]}"; then
    # Wheels of some versions lack the execute bit.
    chmod +x build/cuda-tools/lib/python3*/site-packages/nvidia/*/bin/*
    return
  fi
  echo "warning: ${wanted[*]} cannot be installed. perfmodel then reads stored listings of machine" >&2
  echo "code, but no cubins or programs. Run scripts/setup.sh again where there is a network, or" >&2
  echo "install the CUDA Toolkit." >&2
}

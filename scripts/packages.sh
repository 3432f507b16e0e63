# Sourced by the other scripts: installs distribution packages, or says which are missing.

# What building perfmodel and installing its disassembler needs.
build_packages=(build-essential cmake ninja-build libcli11-dev libeigen3-dev libelf-dev libfmt-dev
  libgmp-dev libjs-chart.js libyaml-cpp-dev nlohmann-json3-dev python3-venv zlib1g-dev)
# What its tests need on top.
test_packages=(libgtest-dev)
# The browser that opens its reports in a test; Ubuntu's package is none, but points to a snap.
browser_packages=(chromium)
# What its benchmarks, linters and fuzzers need on top.
check_packages=(libbenchmark-dev clang-19 libclang-rt-19-dev)

# require_packages NAME...: returns when all are installed; otherwise installs them as root, or
# prints the line that does and exits with 3.
require_packages() {
  if ! command -v dpkg-query >/dev/null; then
    echo "This is no Debian or Ubuntu. Install the counterparts of these packages, then build" >&2
    echo "with 'cmake --preset release && cmake --build --preset release':" >&2
    echo "  $*" >&2
    exit 3
  fi
  local missing=() package
  for package in "$@"; do
    if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
      missing+=("$package")
    fi
  done
  if [ ${#missing[@]} -eq 0 ]; then
    return
  fi
  if [ "$(id -u)" -ne 0 ]; then
    echo "Some packages are missing. Run this line, then this script again:" >&2
    echo "  sudo apt-get update && sudo apt-get install -y ${missing[*]}" >&2
    exit 3
  fi
  echo "== Installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update
  apt-get install -y --no-install-recommends "${missing[@]}"
}

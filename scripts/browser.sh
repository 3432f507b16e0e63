# Sourced by test.sh, from the root of the project: installs what the browser test needs.

# install_browser: Chromium from Debian and Playwright from PyPI into build/browser-tools. Where
# they cannot be had, it says so, and the browser test is skipped.
install_browser() {
  if [ "$(. /etc/os-release && echo "$ID")" = debian ]; then
    require_packages "${browser_packages[@]}"
  fi
  local tools=build/browser-tools
  if $tools/bin/python3 -c 'import playwright' 2>/dev/null; then
    return
  fi
  echo "== Installing Playwright"
  if python3 -m venv $tools &&
    $tools/bin/pip install --quiet --disable-pip-version-check 'playwright>=1.40,<2'; then
    return
  fi
  echo "warning: Playwright cannot be installed; the browser test will be skipped." >&2
}

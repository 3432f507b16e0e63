#include "app/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace perfmodel::app {
namespace {

/// "8 s", "1 min 20 s", "2 h 5 min": two units are precise enough for an estimate.
std::string duration_text(double seconds) {
  constexpr double longest_s = 360'000.0;  // an estimate beyond 100 hours is no estimate
  const auto whole = static_cast<long>(std::ceil(std::clamp(seconds, 0.0, longest_s)));
  if (whole < 60) {
    return fmt::format("{} s", whole);
  }
  if (whole < 3600) {
    return fmt::format("{} min {} s", whole / 60, whole % 60);
  }
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string bar_text(const ProgressState& state, std::size_t columns) {
  const std::size_t filled = state.total == 0 ? 0 : columns * state.done / state.total;
  return "[" + std::string(filled, '#') + std::string(columns - filled, '.') + "]";
}

}  // namespace

std::optional<double> seconds_left(const ProgressState& state) {
  if (state.done == 0 || state.done > state.total) {
    return std::nullopt;
  }
  return state.elapsed_s / static_cast<double>(state.done) *
         static_cast<double>(state.total - state.done);
}

std::string progress_text(const ProgressState& state, std::size_t width) {
  constexpr std::size_t narrowest_label = 8;
  constexpr std::size_t bar_columns = 20;
  const std::size_t room = width == 0 ? 0 : width - 1;
  std::string text = fmt::format("{}/{}", state.done, state.total);
  if (text.size() > room) {
    return "";
  }
  // The time left matters more than the label, so it is shortened before it is given up.
  std::string left;
  if (const auto left_s = seconds_left(state)) {
    const std::string duration = ", " + duration_text(*left_s);
    for (const char* ending : {" left", ""}) {
      if (left.empty() && text.size() + duration.size() + std::strlen(ending) <= room) {
        left = duration + ending;
      }
    }
  }
  const std::size_t used = text.size() + left.size();
  const std::size_t label_room = room > used + 1 ? room - used - 1 : 0;
  if (!state.label.empty() && label_room >= std::min(narrowest_label, state.label.size())) {
    text +=
        " " + (state.label.size() <= label_room ? state.label
                                                : state.label.substr(0, label_room - 3) + "...");
  }
  text += left;
  const std::string bar = bar_text(state, bar_columns) + " ";
  return text.size() + bar.size() <= room ? bar + text : text;
}

ProgressTerminal standard_error_terminal() {
  const char* terminal = std::getenv("TERM");
  const bool is_dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  ProgressTerminal out;
  out.is_enabled = isatty(STDERR_FILENO) == 1 && !is_dumb;
  out.width = [] {
    constexpr std::size_t usual = 80;
    winsize size{};
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? std::size_t{size.ws_col} : usual;
  };
  out.write = [](std::string_view text) {
    // A progress line that cannot be written is no reason to stop a measurement.
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
    static_cast<void>(std::fflush(stderr));
  };
  return out;
}

Progress::Progress(std::size_t total, ProgressTerminal terminal)
    : terminal_(std::move(terminal)), begin_(terminal_.now()) {
  state_.total = total;
}

void Progress::update(std::size_t done, std::string_view label) {
  if (!terminal_.is_enabled) {
    return;
  }
  const auto now = terminal_.now();
  if (drawn_at_ && now - *drawn_at_ < shortest_pause) {
    return;
  }
  state_.done = done;
  state_.label = label;
  state_.elapsed_s = std::chrono::duration<double>(now - begin_).count();
  const std::string text = progress_text(state_, terminal_.width());
  const std::size_t leftover = drawn_columns_ > text.size() ? drawn_columns_ - text.size() : 0;
  terminal_.write("\r" + text + std::string(leftover, ' '));
  drawn_columns_ = text.size();
  drawn_at_ = now;
}

void Progress::clear() {
  if (drawn_columns_ > 0) {
    terminal_.write("\r" + std::string(drawn_columns_, ' ') + "\r");
    drawn_columns_ = 0;
  }
  drawn_at_.reset();
}

}  // namespace perfmodel::app

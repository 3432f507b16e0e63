#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace perfmodel::app {

/// How far a run has come.
struct ProgressState {
  std::size_t done = 0;
  std::size_t total = 0;
  std::string label;  ///< what is being done: "K3 at 4096x4096x4096"
  double elapsed_s = 0.0;
};

/// From the mean time of what is done; nothing before the first is done.
std::optional<double> seconds_left(const ProgressState& state);

/// One line of less than `width` columns (a full line would wrap on some terminals): the counts
/// always if they fit, then the time left, the label and a bar as far as there is room.
std::string progress_text(const ProgressState& state, std::size_t width);

/// Where a progress line is drawn.
struct ProgressTerminal {
  bool is_enabled = false;
  std::function<std::size_t()> width;  ///< asked at every drawing: windows are resized
  std::function<void(std::string_view)> write;
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

/// Standard error, enabled only where it is a terminal that can rewrite a line (not TERM=dumb).
/// Nothing but carriage returns and blanks is sent, so NO_COLOR needs no case of its own.
ProgressTerminal standard_error_terminal();

/// Draws a progress line over itself, at most ten times a second, and clears it in the end. Other
/// output to the same terminal stands between `clear` and the next `update`.
class Progress {
 public:
  Progress(std::size_t total, ProgressTerminal terminal);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  void update(std::size_t done, std::string_view label);
  void clear();

 private:
  static constexpr std::chrono::milliseconds shortest_pause{100};

  ProgressTerminal terminal_;
  ProgressState state_;
  std::chrono::steady_clock::time_point begin_;
  std::optional<std::chrono::steady_clock::time_point> drawn_at_;
  std::size_t drawn_columns_ = 0;
};

}  // namespace perfmodel::app

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace perfmodel::profiling {

/// The text of a file as UTF-8 without a byte order mark: UTF-16 (what PowerShell's redirection
/// writes) is recognised by its mark or its zero bytes and converted; anything else stays as it is.
/// Throws Error for UTF-16 that is cut or holds half a surrogate pair; `file` names the text.
std::string to_utf8(std::string_view bytes, std::string_view file);

/// What a recording may hold as one text, names of functions aside; see spec::read_text_value.
inline constexpr std::size_t longest_text = 2000;

/// Text from outside that may stand in a recording: control characters and bytes that are no UTF-8
/// are written out ("\x1b"), so that different names stay different. What would be longer than
/// `max_bytes` is cut between two characters and ends in "...".
std::string plain_text(std::string_view text, std::size_t max_bytes = std::string_view::npos);

}  // namespace perfmodel::profiling

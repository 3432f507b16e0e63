#include "profiling/import/text_encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "model/error.hpp"

namespace perfmodel::profiling {
namespace {

unsigned char byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

std::string from_utf16(std::string_view bytes, bool big_endian, std::string_view file) {
  if (bytes.size() % 2 != 0) {
    fail(fmt::format("{}: UTF-16 text of an odd number of bytes: the file is truncated", file));
  }
  const auto unit = [&](std::size_t at) -> std::uint32_t {
    const std::uint32_t first = byte_at(bytes, at);
    const std::uint32_t second = byte_at(bytes, at + 1);
    return big_endian ? (first << 8) | second : (second << 8) | first;
  };
  const auto is_high = [](std::uint32_t value) { return value >= 0xD800 && value < 0xDC00; };
  const auto is_low = [](std::uint32_t value) { return value >= 0xDC00 && value < 0xE000; };
  std::string out;
  out.reserve(bytes.size() / 2);
  for (std::size_t at = 0; at < bytes.size(); at += 2) {
    std::uint32_t code = unit(at);
    if (is_high(code) && at + 2 < bytes.size() && is_low(unit(at + 2))) {
      code = 0x10000 + ((code - 0xD800) << 10) + (unit(at + 2) - 0xDC00);
      at += 2;
    } else if (is_high(code) || is_low(code)) {
      fail(fmt::format("{}: half a UTF-16 surrogate pair at byte {}; save the file as UTF-8", file,
                       at));
    }
    append_utf8(out, code);
  }
  return out;
}

/// Bytes of the UTF-8 character that begins here; 0 where none does.
std::size_t character_bytes(std::string_view text, std::size_t at) {
  const unsigned char first = byte_at(text, at);
  const std::size_t length = first < 0x80                     ? 1
                             : first >= 0xC2 && first < 0xE0  ? 2
                             : first >= 0xE0 && first < 0xF0  ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
  if (length == 0 || at + length > text.size()) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, at + i) & 0xC0) != 0x80) {
      return 0;
    }
  }
  if (length < 3) {
    return length;
  }
  // Overlong forms, surrogates and what lies beyond the last character.
  const unsigned char second = byte_at(text, at + 1);
  const bool invalid = (first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0) ||
                       (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90);
  return invalid ? 0 : length;
}

}  // namespace

std::string to_utf8(std::string_view bytes, std::string_view file) {
  if (bytes.starts_with("\xEF\xBB\xBF")) {
    return std::string(bytes.substr(3));
  }
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    return from_utf16(bytes.substr(2), bytes.starts_with("\xFE\xFF"), file);
  }
  // Without a mark: text that begins in ASCII has a zero in every second byte.
  if (bytes.size() >= 2 && (bytes[0] == '\0') != (bytes[1] == '\0')) {
    return from_utf16(bytes, bytes[0] == '\0', file);
  }
  return std::string(bytes);
}

std::string plain_text(std::string_view text, std::size_t max_bytes) {
  std::string out;
  std::size_t kept = 0;  // what leaves room for the dots
  for (std::size_t at = 0; at < text.size() && out.size() <= max_bytes;) {
    kept = out.size() + 3 <= max_bytes ? out.size() : kept;
    const std::size_t length = character_bytes(text, at);
    const unsigned char first = byte_at(text, at);
    // The C1 controls, U+0080 to U+009F, are as active on some terminals as those of ASCII.
    const bool is_c1 = length == 2 && first == 0xC2 && byte_at(text, at + 1) < 0xA0;
    if (length == 0 || first < 0x20 || first == 0x7F || is_c1) {
      for (std::size_t i = 0; i < std::max<std::size_t>(length, 1); ++i) {
        out += fmt::format("\\x{:02x}", byte_at(text, at + i));
      }
    } else {
      out += text.substr(at, length);
    }
    at += std::max<std::size_t>(length, 1);
  }
  return out.size() > max_bytes ? out.substr(0, kept) + "..." : out;
}

}  // namespace perfmodel::profiling

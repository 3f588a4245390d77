// A result as the history stores it: compressed by zlib. A result is text with many repeated keys, and shrinks to about
// a tenth. Source: zlib.h. Pure.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fathom::history {

inline constexpr std::size_t kMostResult_bytes = std::size_t{256} << 20;

std::string packed(std::string_view text);
// nullopt: these are not the bytes of a text of that length.
std::optional<std::string> unpacked(std::string_view bytes, std::size_t length);

}  // namespace fathom::history

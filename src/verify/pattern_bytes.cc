// Returns a pattern in pieces of a repeated copy.
#include "verify/pattern_bytes.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace fathom::verify {
namespace {

constexpr std::size_t kKept = 4096;  // approximate size in bytes to which a short pattern is repeated

}  // namespace

base::Expected<PatternBytes> PatternBytes::make(std::string_view bytes, std::span<const std::size_t> offset_places,
                                                std::uint64_t interval) {
  const auto fits = [&](std::size_t place) { return place + sizeof(std::uint64_t) <= bytes.size(); };
  if (bytes.empty() || !std::all_of(offset_places.begin(), offset_places.end(), fits))
    return base::Error{base::ErrorKind::usage,
                       "verify_pattern has no bytes",
                       "a %o is outside the pattern",
                       "write bytes as text, hexadecimal or decimal, and %o",
                       {}};
  if (offset_places.size() > kMostOffsetPlaces)
    return base::Error{base::ErrorKind::usage,
                       fmt::format("verify_pattern has %o {} times", offset_places.size()),
                       fmt::format("fio allows at most {}", kMostOffsetPlaces),
                       "write fewer",
                       {}};
  PatternBytes pattern;
  const std::size_t times = std::max<std::size_t>(1, kKept / bytes.size());
  const auto raw = std::as_bytes(std::span(bytes));
  for (std::size_t i = 0; i < times; ++i) {
    for (const std::size_t place : offset_places) pattern.places_.push_back(i * bytes.size() + place);
    pattern.repeated_.insert(pattern.repeated_.end(), raw.begin(), raw.end());
  }
  pattern.interval_ = interval;
  return pattern;
}

void PatternBytes::place(std::uint64_t offset) {
  for (const std::size_t at : places_) std::memcpy(repeated_.data() + at, &offset, sizeof offset);
}

std::span<const std::byte> PatternBytes::piece(std::size_t at, std::uint64_t io_offset) {
  if (interval_ == 0) {
    place(io_offset);
    return std::span<const std::byte>(repeated_).subspan(at % repeated_.size());
  }
  const std::size_t behind = at % interval_;
  place(io_offset + at - behind);
  const auto rest = std::span<const std::byte>(repeated_).subspan(behind % repeated_.size());
  return rest.first(std::min<std::size_t>(rest.size(), interval_ - behind));
}

void PatternBytes::fill(std::span<std::byte> io, std::uint64_t io_offset) {
  for (std::size_t at = 0; at < io.size();) {
    const auto bytes = piece(at, io_offset);
    const std::size_t n = std::min(bytes.size(), io.size() - at);
    std::memcpy(io.data() + at, bytes.data(), n);
    at += n;
  }
}

std::optional<PatternBytes::Difference> PatternBytes::check(std::span<const std::byte> part, std::size_t begin,
                                                            std::uint64_t io_offset) {
  for (std::size_t at = 0; at < part.size();) {
    const auto bytes = piece(begin + at, io_offset);
    const auto here = part.subspan(at, std::min(bytes.size(), part.size() - at));
    if (std::memcmp(here.data(), bytes.data(), here.size()) != 0) {
      const auto [found, wanted] = std::mismatch(here.begin(), here.end(), bytes.begin());
      return Difference{at + static_cast<std::size_t>(found - here.begin()), *found, *wanted};
    }
    at += here.size();
  }
  return std::nullopt;
}

}  // namespace fathom::verify

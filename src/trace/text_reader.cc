// Lines of a trace.
#include "trace/text_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/printable.h"

namespace fathom::trace {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::size_t kShown = 160;  // characters of a line in an error

}  // namespace

base::Expected<bool> TextReader::next(Event& event) {
  while (!error_) {
    event = Event();
    auto more = input_->next_line(line_);
    if (more && !*more) return finish(event);
    auto parsed = more ? parse(line_, event) : std::move(more);
    if (!parsed)
      error_ = std::move(parsed.error());
    else if (*parsed)
      return true;
  }
  // Events that a reader still holds were read before the error.
  auto held = finish(event);
  if (held && !*held) return *error_;
  return held;
}

std::vector<std::string> TextReader::notes() const {
  if (!input_->ends_within_line()) return {};
  return {fmt::format("the last line ({}) has no line end: the trace may be cut there", input_->lines())};
}

base::Error TextReader::bad(std::string_view part, std::string what, std::string cause) const {
  const bool within = part.data() >= line_.data() && part.data() <= line_.data() + line_.size();
  const auto column = within ? static_cast<std::size_t>(part.data() - line_.data()) : 0;
  base::SourcePlace place{.file = input_->name(),
                          .line = static_cast<int>(std::min<std::uint64_t>(input_->lines(), 0x7fffffff)),
                          .line_text = std::string(line_.substr(0, kShown))};
  if (column < kShown) {
    place.column = static_cast<int>(column + 1);
    place.length = static_cast<int>(std::clamp<std::size_t>(part.size(), 1, kShown - column));
  }
  if (input_->ends_within_line()) cause += std::string(cause.empty() ? "" : "; ") + "the trace may be cut in this line";
  return {.what = std::move(what), .cause = std::move(cause), .help = {}, .place = std::move(place)};
}

bool TextReader::set_file(std::string_view name, Event& event) {
  constexpr std::size_t kLongestName = 4096;  // PATH_MAX
  if (name.size() > kLongestName) return skip("a file name longer than 4,096 bytes"), false;
  const auto index = ledger_.file(name);
  if (!index) return skip(kTooManyFiles), false;
  event.file = *index;
  return true;
}

bool to_ns(std::string_view seconds, std::uint64_t& value_ns) {
  constexpr std::uint64_t kSecond_ns = 1'000'000'000, kMost_s = ~std::uint64_t{0} / kSecond_ns - 1;
  std::uint64_t whole = 0;
  const auto end = seconds.data() + seconds.size();
  const auto [stop, error] = std::from_chars(seconds.data(), end, whole);
  if (error != std::errc() || whole > kMost_s) return false;
  value_ns = whole * kSecond_ns;
  if (stop == end) return true;
  if (*stop != '.') return false;
  std::uint64_t weight_ns = kSecond_ns / 10;
  for (const char* at = stop + 1; at != end; ++at, weight_ns /= 10) {
    if (*at < '0' || *at > '9') return false;
    value_ns += static_cast<std::uint64_t>(*at - '0') * weight_ns;
  }
  return true;
}

std::string_view take_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  const auto word = rest.substr(0, rest.find_first_of(kBlanks));
  rest.remove_prefix(word.size());
  return word;
}

std::string_view stripped(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

}  // namespace fathom::trace

// Values have this machine's byte order, because only this machine reads them.
#include "base/packed.h"

#include <cstring>

namespace fathom::base {
namespace {

constexpr const char* kCut = "...";

void cut(std::string& text, std::size_t most_bytes) {
  if (text.size() > most_bytes) text = text.substr(0, most_bytes - std::strlen(kCut)) + kCut;
}

std::string packed(const Error& error) {
  Packer out;
  out.error(error);
  return out.take();
}

}  // namespace

void Packer::number(std::int64_t n) {
  char raw[sizeof n];
  std::memcpy(raw, &n, sizeof n);
  text({raw, sizeof n});
}

void Packer::text(std::string_view s) {
  const auto size = static_cast<std::uint32_t>(s.size());
  char raw[sizeof size];
  std::memcpy(raw, &size, sizeof size);
  bytes_.append(raw, sizeof size).append(s);
}

void Packer::error(const Error& e) {
  number(static_cast<std::int64_t>(e.kind));
  for (const auto* sentence : {&e.what, &e.cause, &e.help}) text(*sentence);
  number(e.sys_errno);
  number(e.place ? 1 : 0);
  if (e.place) {
    text(e.place->file);
    number(e.place->line);
    number(e.place->column);
    text(e.place->line_text);
    number(e.place->length);
  }
  number(static_cast<std::int64_t>(e.also.size()));
  for (const auto& other : e.also) error(other);
}

std::string Unpacker::text() {
  std::uint32_t size = 0;
  if (rest_.size() >= sizeof size) std::memcpy(&size, rest_.data(), sizeof size);
  if (rest_.size() < sizeof size || rest_.size() - sizeof size < size) {
    torn_ = true;
    rest_ = {};
    return {};
  }
  std::string s(rest_.substr(sizeof size, size));
  rest_.remove_prefix(sizeof size + size);
  return s;
}

std::int64_t Unpacker::number() {
  const std::string raw = text();
  std::int64_t n = 0;
  if (raw.size() == sizeof n) std::memcpy(&n, raw.data(), sizeof n);
  return n;
}

Error Unpacker::error() {
  Error e;
  e.kind = static_cast<ErrorKind>(number());
  for (auto* sentence : {&e.what, &e.cause, &e.help}) *sentence = text();
  e.sys_errno = static_cast<int>(number());
  if (number() != 0) {
    auto& place = e.place.emplace();
    place.file = text();
    place.line = static_cast<int>(number());
    place.column = static_cast<int>(number());
    place.line_text = text();
    place.length = static_cast<int>(number());
  }
  for (auto left = number(); left > 0 && !torn_; --left) e.also.push_back(error());
  return e;
}

std::string packed_within(std::size_t most_bytes, Error error) {
  auto bytes = packed(error);
  if (bytes.size() <= most_bytes) return bytes;
  error.also.clear();
  if (error.place) error.place->line_text.clear();
  bytes = packed(error);
  if (bytes.size() <= most_bytes) return bytes;
  constexpr std::size_t kFrame_bytes = 160, kTexts = 4;
  const std::size_t each = (most_bytes - kFrame_bytes) / kTexts;
  for (auto* text : {&error.what, &error.cause, &error.help}) cut(*text, each);
  if (error.place) cut(error.place->file, each);
  return packed(error);
}

}  // namespace fathom::base

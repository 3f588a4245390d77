// Judges a request by headers that browsers send and that a page cannot change.
#include "live/serve/asking.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <charconv>

namespace fathom::live::serve {
namespace {

// A tunnel changes the port, but not the name.
bool names_this_machine(std::string_view host) {
  const auto name = host.substr(0, host.rfind(':') == std::string_view::npos ? host.size() : host.rfind(':'));
  return name == "127.0.0.1" || name == "localhost";
}

// Takes equally long for all wrong tokens of the right length.
bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned differs = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    differs |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return differs == 0;
}

constexpr std::string_view kSeconds = "seconds";

}  // namespace

Answer answer_to(const Asking& asking, std::string_view token) {
  if (!names_this_machine(asking.host)) return Answer::refused;
  if (!asking.origin.empty() && asking.origin != fmt::format("http://{}", asking.host)) return Answer::refused;
  if (!asking.get) return Answer::not_allowed;
  const auto path = asking.path.substr(0, asking.path.find('?'));
  if (path.size() < token.size() + 2 || path[0] != '/' || !same(path.substr(1, token.size()), token) ||
      path[token.size() + 1] != '/')
    return Answer::not_found;
  const auto what = path.substr(token.size() + 2);
  return what.empty() ? Answer::page : what == kSeconds ? Answer::seconds : Answer::not_found;
}

std::uint64_t after_of(std::string_view path) {
  constexpr std::string_view kName = "?after=";
  const auto at = path.find(kName);
  std::uint64_t after = 0;
  if (at == std::string_view::npos) return 0;
  const auto text = path.substr(at + kName.size());
  const auto read = std::from_chars(text.data(), text.data() + text.size(), after);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? after : 0;
}

std::string new_token() {
  std::array<unsigned char, 16> bytes;
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return "";
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

}  // namespace fathom::live::serve

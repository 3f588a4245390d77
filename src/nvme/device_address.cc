// Parses device names. The beginning of a name distinguishes the three forms. All of them contain colons, and colons
// also join names. A joined text is therefore cut at its colons, and the parts are joined again. A name begins where a
// part can begin one ("soft", "vfio-user", a PCI address), and extends to the next beginning. `\:` is a colon that
// never separates.
#include "nvme/device_address.h"

#include <charconv>
#include <optional>

namespace fathom::nvme {
namespace {

constexpr std::string_view kSoft = "soft";
constexpr std::string_view kVfioUser = "vfio-user";
constexpr std::string_view kNamespaceMark = "/ns=";
constexpr const char* kForms =
    "write soft[:options], [dddd:]bb:dd.f[/namespace] or vfio-user:SOCKET[/ns=N]; `fathom nvme list` shows what is "
    "here";

base::Error wrong(std::string_view text, std::string cause, std::string help = kForms) {
  return {.kind = base::ErrorKind::usage,
          .what = "device \"" + std::string(text) + "\": not a device's name",
          .cause = std::move(cause),
          .help = std::move(help),
          .place = {}};
}

bool all_hex(std::string_view text, std::size_t length_min, std::size_t length_max) {
  return text.size() >= length_min && text.size() <= length_max &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// Checks "dd.f": a device (five bits) and a function (three bits).
bool device_function(std::string_view text) {
  return text.size() == 4 && (text[0] == '0' || text[0] == '1') && all_hex(text.substr(1, 1), 1, 1) && text[2] == '.' &&
         text[3] >= '0' && text[3] <= '7';
}

// The number of a namespace: 1 to 0xfffffffe.
std::optional<std::uint32_t> namespace_id(std::string_view text) {
  std::uint32_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc{} || end != text.data() + text.size() || id == 0 || id == 0xffffffff) return std::nullopt;
  return id;
}

base::Error wrong_namespace(std::string_view text, std::string_view id) {
  return wrong(text, "\"" + std::string(id) + "\" is not a namespace's number", "namespace numbers start at 1");
}

std::string_view before_slash(std::string_view text) { return text.substr(0, text.find('/')); }

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ':') {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::string without_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    plain += text[i];
  }
  return plain;
}

// The number of parts from here that form one PCI address: 3 (dddd:bb:dd.f), 2 (bb:dd.f), 1 (escaped colons), 0 (no
// address).
std::size_t pci_parts(const std::vector<std::string_view>& parts, std::size_t at) {
  const auto part = [&](std::size_t i) { return at + i < parts.size() ? parts[at + i] : std::string_view{}; };
  if (all_hex(part(0), 4, 8) && all_hex(part(1), 2, 2) && device_function(before_slash(part(2)))) return 3;
  if (all_hex(part(0), 2, 2) && device_function(before_slash(part(1)))) return 2;
  if (part(0).find('\\') == std::string_view::npos) return 0;
  const std::string plain = without_escapes(part(0));
  const auto address = parse_address(plain);
  return address && address->kind == TransportKind::vfio ? 1 : 0;
}

// The minimum number of parts of a name that begins here; 0: no name begins here.
std::size_t name_parts(const std::vector<std::string_view>& parts, std::size_t at) {
  if (before_slash(parts[at]) == kSoft) return 1;
  if (parts[at] == kVfioUser) return 2;
  return pci_parts(parts, at);
}

// Removes "/ns=N" from the end of `where`.
base::Expected<DeviceAddress> with_namespace(TransportKind kind, std::string_view text, std::string_view where) {
  DeviceAddress address{.kind = kind, .where = std::string(where)};
  const auto mark = where.rfind(kNamespaceMark);
  if (mark == std::string_view::npos || where.find('/', mark + 1) != std::string_view::npos) return address;
  const auto id = where.substr(mark + kNamespaceMark.size());
  const auto nsid = namespace_id(id);
  if (!nsid) return wrong_namespace(text, id);
  address.where = std::string(where.substr(0, mark));
  address.nsid = *nsid;
  return address;
}

base::Expected<DeviceAddress> parse_soft(std::string_view text) {
  auto rest = text.substr(kSoft.size());
  if (!rest.empty() && rest.front() == ':') rest.remove_prefix(1);
  return with_namespace(TransportKind::soft, text, rest);
}

base::Expected<DeviceAddress> parse_vfio_user(std::string_view text) {
  const auto rest = text.size() > kVfioUser.size() ? text.substr(kVfioUser.size() + 1) : std::string_view{};
  auto address = with_namespace(TransportKind::vfio_user, text, rest);
  if (address && address->where.empty())
    return wrong(text, "the server's socket is missing",
                 "write vfio-user:SOCKET with the path of `fathom nvme serve --socket SOCKET`");
  return address;
}

base::Expected<DeviceAddress> parse_pci(std::string_view text) {
  const auto slash = text.find('/');
  DeviceAddress address{.kind = TransportKind::vfio, .where = std::string(text.substr(0, slash))};
  for (char& c : address.where)
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  if (parts_of(address.where).size() == 2) address.where.insert(0, "0000:");
  if (slash == std::string_view::npos) return address;
  auto id = text.substr(slash + 1);
  if (id.substr(0, 3) == "ns=") id.remove_prefix(3);
  const auto nsid = namespace_id(id);
  if (!nsid) return wrong_namespace(text, id);
  address.nsid = *nsid;
  return address;
}

bool begins_with_word(std::string_view text, std::string_view word) {
  return text.substr(0, word.size()) == word &&
         (text.size() == word.size() || text[word.size()] == ':' || text[word.size()] == '/');
}

}  // namespace

std::string DeviceAddress::controller() const {
  if (kind == TransportKind::vfio) return where;
  if (kind == TransportKind::vfio_user) return std::string(kVfioUser) + ":" + where;
  return where.empty() ? std::string(kSoft) : std::string(kSoft) + ":" + where;
}

std::string DeviceAddress::text() const {
  if (nsid == 1) return controller();
  return controller() + (kind == TransportKind::vfio ? "/" : std::string(kNamespaceMark)) + std::to_string(nsid);
}

base::Expected<DeviceAddress> parse_address(std::string_view text) {
  if (text.empty()) return wrong(text, "the name is empty");
  if (begins_with_word(text, kVfioUser)) return parse_vfio_user(text);
  if (begins_with_word(text, kSoft)) return parse_soft(text);
  const auto parts = parts_of(text);
  const auto length = text.find('\\') == std::string_view::npos ? pci_parts(parts, 0) : 0;
  if (length >= 2 && length == parts.size()) return parse_pci(text);
  if (text.front() == '/')
    return wrong(
        text, "a file has no PCI address in its name",
        "the kernel's device files belong to other engines (io_uring, io_uring_cmd); to drive the controller itself "
        "name its PCI address, which `fathom nvme list` shows");
  return wrong(text, "the name is neither `soft`, nor a PCI address, nor `vfio-user:` and a socket");
}

base::Expected<std::vector<std::string>> split_addresses(std::string_view joined) {
  const auto parts = parts_of(joined);
  if (joined.empty()) return wrong(joined, "the name is empty");
  std::vector<std::string> names;
  for (std::size_t at = 0; at < parts.size();) {
    auto length = name_parts(parts, at);
    if (length == 0 && names.empty()) return wrong(parts[at], "no device name begins like this");
    const bool begins = length != 0;
    if (begins) names.emplace_back();
    for (length = begins ? length : 1; length != 0 && at < parts.size(); --length, ++at)
      names.back() += (names.back().empty() ? "" : ":") + without_escapes(parts[at]);
  }
  return names;
}

}  // namespace fathom::nvme

// Each name is parsed and formatted again, so that one device has one name.
#include "session/controllers/device_names.h"

#include <fmt/format.h>

#include <set>

#include "nvme/device_address.h"

namespace fathom::session::controllers {
namespace {

// An escaped colon does not separate names (nvme/device_address.h reads it).
std::string escaped(const std::string& where) {
  std::string out;
  for (const char c : where) out += (c == ':' ? "\\:" : std::string(1, c));
  return out;
}

std::string in_filename(const nvme::DeviceAddress& address) {
  if (address.kind == nvme::TransportKind::vfio) return address.text();
  const std::string text = address.text();
  const auto colon = text.find(':');
  return colon == std::string::npos ? text : text.substr(0, colon + 1) + escaped(text.substr(colon + 1));
}

base::Expected<nvme::DeviceAddress> another(nvme::DeviceAddress address, const std::string& name,
                                            std::set<std::string>& seen) {
  if (address.kind != nvme::TransportKind::soft && seen.count(address.text()) != 0)
    return base::Error{.kind = base::ErrorKind::usage,
                       .what = "--device=" + name + ": named twice",
                       .cause = "a job has one queue pair for each device and thread",
                       .help = "name each device once; `--numjobs=2` gives it two threads",
                       .place = {}};
  const std::string options = address.where;
  for (unsigned id = 2; seen.count(address.text()) != 0; ++id)
    address.where = fmt::format("{}{}id={}", options, options.empty() ? "" : ",", id);
  seen.insert(address.text());
  return address;
}

}  // namespace

base::Expected<std::string> join_devices(std::span<const std::string> names) {
  std::string joined;
  std::set<std::string> seen;
  for (const auto& name : names) {
    auto address = nvme::parse_address(name);
    if (!address) return address.error();
    auto own = another(std::move(*address), name, seen);
    if (!own) return own.error();
    joined += (joined.empty() ? "" : ":") + in_filename(*own);
  }
  return joined;
}

}  // namespace fathom::session::controllers

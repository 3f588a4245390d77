// Two small files of text.
#include "host/machine/rights.h"

#include <unistd.h>

#include <charconv>
#include <string_view>

#include "host/proc/proc_text.h"
#include "host/proc/text_file.h"

namespace fathom::host::machine {
namespace {

std::optional<std::uint64_t> whole_number(std::string_view text, int base = 10) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "Uid:  1000  0  1000  1000": real, effective, saved, of the file system.
std::optional<std::uint64_t> effective_user(const std::string& status) {
  const std::string ids = proc::cpuinfo_value(status, "Uid");
  const auto fields = proc::split_fields(ids);
  return fields.size() > 1 ? whole_number(fields[1]) : std::nullopt;
}

// "Max locked memory         8388608              unlimited            bytes": the soft limit, the hard one.
std::optional<std::uint64_t> soft_limit(std::string_view limits, std::string_view name) {
  for (const auto line : proc::split_lines(limits)) {
    if (!line.starts_with(name)) continue;
    const auto fields = proc::split_fields(line.substr(name.size()));
    if (fields.empty()) return std::nullopt;
    return fields[0] == "unlimited" ? kUnlimited : whole_number(fields[0]);
  }
  return std::nullopt;
}

}  // namespace

bool Rights::has(unsigned capability) const {
  if (capabilities) return (*capabilities >> capability & 1) != 0;
  return user ? *user == 0 : ::geteuid() == 0;
}

Rights own_rights(const std::string& prefix) {
  const std::string status = proc::read_text(prefix + "/proc/self/status");
  const std::string limits = proc::read_text(prefix + "/proc/self/limits");
  constexpr int kHexadecimal = 16;
  return {.user = effective_user(status),
          .capabilities = whole_number(proc::cpuinfo_value(status, "CapEff"), kHexadecimal),
          .seccomp = whole_number(proc::cpuinfo_value(status, "Seccomp")),
          .locked_memory_bytes = soft_limit(limits, "Max locked memory"),
          .open_files = soft_limit(limits, "Max open files")};
}

}  // namespace fathom::host::machine

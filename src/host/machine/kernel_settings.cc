// A setting is a file: its name with slashes for dots.
#include "host/machine/kernel_settings.h"

#include <algorithm>

#include "base/text/parse.h"
#include "host/proc/text_file.h"

namespace fathom::host::machine {

std::optional<std::int64_t> kernel_setting(std::string name, const std::string& prefix) {
  std::replace(name.begin(), name.end(), '.', '/');
  const auto value = base::text::parse_int(proc::read_line(prefix + "/proc/sys/" + name));
  if (!value) return std::nullopt;
  return *value;
}

}  // namespace fathom::host::machine

// Joins several device names to one value of filename=, which nvme/device_address.h can parse.
#pragma once
#include <span>
#include <string>

#include "base/error.h"

namespace fathom::session::controllers {

// Each further `soft` is a separate controller (soft:id=2). Any other device named twice is ErrorKind::usage.
base::Expected<std::string> join_devices(std::span<const std::string> names);

}  // namespace fathom::session::controllers

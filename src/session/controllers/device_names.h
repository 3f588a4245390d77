// Several names of devices as one value of filename=, which nvme/device_address.h reads back.
#pragma once
#include <span>
#include <string>

#include "base/error.h"

namespace fathom::session::controllers {

// A `soft` named again is another controller (soft:id=2); any other device named twice is ErrorKind::usage.
base::Expected<std::string> join_devices(std::span<const std::string> names);

}  // namespace fathom::session::controllers

// Which admin commands a caller may not send, and why: those that the driver manages itself, and those of features
// that are not supported.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "base/error.h"
#include "nvme/command.h"

namespace fathom::nvme::detail {

// Empty: the command may be sent.
std::optional<base::Error> refuse_admin(const Command& command, std::size_t data_bytes, std::size_t transfer_bytes_max,
                                        const std::string& device);

}  // namespace fathom::nvme::detail

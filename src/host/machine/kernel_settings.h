// Numbers of sysctl(8), from /proc/sys. Thread-safe.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace fathom::host::machine {

// "kernel.io_uring_disabled"; nullopt: this kernel lacks it, or it cannot be read. `prefix` precedes /proc, for tests.
std::optional<std::int64_t> kernel_setting(std::string name, const std::string& prefix = "");

}  // namespace fathom::host::machine

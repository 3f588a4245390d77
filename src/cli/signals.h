// Ctrl-C: once means stop, drain and report; twice means leave now. The flag lies in memory that forked workers share.
#pragma once
#include <atomic>
#include <cstdint>

namespace fathom::cli {

// Installs handlers for SIGINT and SIGTERM and returns their flag: 0, 1 (once), 2 (twice).
std::atomic<std::uint32_t>& install_stop_flag();

}  // namespace fathom::cli

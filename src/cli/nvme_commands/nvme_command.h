// `fathom nvme`: NVMe devices driven from user space. One file per subcommand (nvme_NAME.cc); the table is in
// commands.cc.
#pragma once
#include <span>
#include <string>

namespace fathom::cli::nvme_commands {

int nvme_list_command(std::span<const std::string> args);
int nvme_identify_command(std::span<const std::string> args);
int nvme_log_command(std::span<const std::string> args);
int nvme_setup_command(std::span<const std::string> args);
int nvme_bind_command(std::span<const std::string> args);
int nvme_unbind_command(std::span<const std::string> args);
int nvme_perf_command(std::span<const std::string> args);
int nvme_serve_command(std::span<const std::string> args);
int spdk_perf_command(std::span<const std::string> args);  // called as spdk_nvme_perf

}  // namespace fathom::cli::nvme_commands

// What the programs of the guest share: a line a result ("result NAME ok" or "result NAME FAILED DETAIL"), which
// tests/guest/nvme/driver.py reads, and the table of commands.
#pragma once
#include <cstdio>
#include <memory>
#include <string>

#include "base/error.h"
#include "nvme/device_address.h"
#include "nvme/transport.h"

namespace fathom::guest {

inline bool result(const std::string& name, bool good, const std::string& detail = "") {
  std::printf("result %s %s%s\n", name.c_str(), good ? "ok " : "FAILED ", detail.c_str());
  std::fflush(stdout);
  return good;
}

inline std::string text_of(const base::Error& error) { return error.what + " | " + error.cause + " | " + error.help; }

// Opens by vfio or says why not.
std::unique_ptr<nvme::Transport> open_or_say(const std::string& address);

using Command = int (*)(const std::string& address);
int list_controllers(const std::string&);
int bind_controller(const std::string& address);
int unbind_controller(const std::string& address);
int check_refusals(const std::string& address);
int check_iommu(const std::string& address);
int check_transport(const std::string& address);
int check_lock_limit(const std::string& address);
int drive(const std::string& address);
int fill_through_kernel(const std::string& device);
int compare_through_kernel(const std::string& device);
int hold_open(const std::string& address);
int wait_for_removal(const std::string& address);

}  // namespace fathom::guest

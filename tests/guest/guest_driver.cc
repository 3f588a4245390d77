// The program that runs inside the guest: `guest_driver COMMAND ADDRESS` (fill and compare: DEVICE, a
// namespace of the kernel's driver). It uses the driver library and nothing of the
// tool, so that a failure here is the driver's.
#include <array>
#include <string>

#include "guest/checks.h"

namespace {

struct Row {
  const char* name;
  fathom::guest::Command run;
};

using namespace fathom::guest;  // NOLINT(google-build-using-namespace): the table's functions

constexpr std::array kCommands = {
    Row{"list", list_controllers},
    Row{"refusals", check_refusals},
    Row{"fill", fill_through_kernel},
    Row{"bind", bind_controller},
    Row{"iommu", check_iommu},
    Row{"transport", check_transport},
    Row{"lock_limit", check_lock_limit},
    Row{"hold", hold_open},
    Row{"drive", drive},
    Row{"unbind", unbind_controller},
    Row{"compare", compare_through_kernel},
    Row{"removal", wait_for_removal},
};

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  const std::string address = argc > 2 ? argv[2] : "";
  for (const Row& row : kCommands)
    if (name == row.name) return row.run(address);
  std::printf("guest_driver: %s: no such command\n", name.c_str());
  return 2;
}

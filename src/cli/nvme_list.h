// What `fathom nvme list` shows, apart from where it is read: tests make it up.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "nvme/pci/controllers.h"

namespace fathom::cli {

struct ListedController {
  nvme::pci::Controller controller;
  std::vector<std::string> uses;  // one a namespace, in its order: "mounted on /home", "free"
};

std::string list_text(std::span<const ListedController> controllers);
std::string list_json(std::span<const ListedController> controllers);

}  // namespace fathom::cli

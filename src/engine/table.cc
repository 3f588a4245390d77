// Every engine that is built, one row each, in the order of --enghelp.
#include <algorithm>

#include "engine/engine.h"
#include "engine/nvme_devices.h"
#include "engine/nvme_passthrough.h"

namespace fathom::engine {
namespace {

// clang-format off
constexpr Info kEngines[] = {
    // name       summary                                     async  files  fake   trims
    {"null",     "does nothing: the program's own cost",      true,  false, false, true},
    {"sync",     "lseek, then read or write",                 false, true,  false, true},
    {"psync",    "pread, pwrite",                             false, true,  false, true},
    {"pvsync2",  "preadv2, pwritev2",                         false, true,  false, true},
    {"mmap",     "copy from and to a shared mapping",         false, true,  false, true},
    {"libaio",   "Linux native asynchronous I/O",             true,  true,  false, true},
    {"io_uring", "Linux io_uring",                            true,  true,  false, true},
    {"io_uring_cmd", "NVMe commands through the kernel's driver", true, true, false, true, false, false, nullptr, look_at_namespace},
    {"nvme",     "NVMe driver in this process, polled",       true,  true,  false, true,  true, true, nvme_split_names, nvme_look_at},
    {"sim",      "scripted latencies on a fake clock",        true,  false, true,  true},
};
// clang-format on

}  // namespace

std::span<const Info> engines() { return kEngines; }

const Info* find_engine(std::string_view name) {
  const auto* row =
      std::find_if(std::begin(kEngines), std::end(kEngines), [&](const Info& e) { return e.name == name; });
  return row == std::end(kEngines) ? nullptr : row;
}

}  // namespace fathom::engine

// spdk_nvme_perf's command line, read to options of `fathom nvme perf`. Pure.
#pragma once
#include <functional>
#include <span>
#include <string>

#include "base/error.h"
#include "job/spdk/perf_job.h"
#include "options/manual.h"

namespace fathom::job::spdk {

// `here`: the PCI addresses that vfio-pci has, for a call without -r. What is understood and has no effect is added to
// `notes`.
base::Expected<Arguments> read_spdk_command_line(std::span<const std::string> args,
                                                 const std::function<Arguments()>& here, Arguments& notes);
const options::Manual& spdk_manual();

}  // namespace fathom::job::spdk

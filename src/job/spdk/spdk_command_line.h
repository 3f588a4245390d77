// Converts spdk_nvme_perf's command line to options of `fathom nvme perf`. Pure.
#pragma once
#include <functional>
#include <span>
#include <string>

#include "base/error.h"
#include "job/spdk/perf_job.h"
#include "options/manual.h"

namespace fathom::job::spdk {

// `here`: the PCI addresses bound to vfio-pci, for a call without -r. Accepted options without effect are added to
// `notes`.
base::Expected<Arguments> read_spdk_command_line(std::span<const std::string> args,
                                                 const std::function<Arguments()>& here, Arguments& notes);
const options::Manual& spdk_manual();

}  // namespace fathom::job::spdk

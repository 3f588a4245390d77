// The files that go into a bundle next to the result: those that the user names, and the logs that the jobs of the
// result wrote, if they are still in place.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files/identity.h"
#include "bundle/contents.h"
#include "result/result.h"

namespace fathom::cli::bundle_commands {

// paths: of --add. with_logs: also the logs, relative to the working directory. Those not written during the run, or
// which cannot be read, are omitted, and on_omitted gets the reason. named: gets each file.
base::Expected<std::vector<bundle::Evidence>> read_evidence(const std::vector<std::string>& paths, bool with_logs,
                                                            const result::Run& run, base::files::NamedFiles& named,
                                                            const std::function<void(const std::string&)>& on_omitted);

}  // namespace fathom::cli::bundle_commands

// Lists the results of a directory.
#include "cli/report_commands/read_file.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/subcommand.h"

namespace fathom::cli::report_commands {

base::Expected<std::vector<std::string>> results_in(const std::string& directory) {
  std::error_code failed;
  std::vector<std::string> files;
  for (std::filesystem::directory_iterator at(directory, failed), end; !failed && at != end; at.increment(failed)) {
    const auto extension = at->path().extension();
    std::error_code ignored;
    if ((extension == ".json" || extension == ".xml") && at->is_regular_file(ignored))
      files.push_back(at->path().string());
  }
  if (failed) return base::system_error("read the directory `" + directory + "`", failed.value());
  if (files.empty())
    return usage_error("`" + directory + "` is a directory without results", "no .json or .xml file in the directory",
                       "");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace fathom::cli::report_commands

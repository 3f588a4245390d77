// Selects the command line to parse: fio's, a subcommand, or that of another tool.
// fio mode is selected in three cases:
//   the program is called as `fio`
//   the first argument is an option other than --version/-v/--help/-h
//   the first argument is no subcommand, and names a file or is `-`
// A subcommand takes precedence over a file of the same name.
// The name `spdk_nvme_perf` selects SPDK's tool, and `pmbench` selects pmbench.
// Thread rule: pure; any thread. No errors: Applet::unknown and Applet::nothing.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::cli {

enum class Applet { fio, spdk_perf, pmbench, subcommand, unknown, nothing };

struct Entry {
  Applet applet = Applet::nothing;
  std::string name;               // the subcommand, or the unknown word
  std::vector<std::string> args;  // the arguments after it; in fio mode all arguments
};

// program: argv[0], with or without a path. is_file: true if a file of that name exists.
Entry choose_applet(std::string_view program, std::span<const std::string> args,
                    const std::function<bool(const std::string&)>& is_file);

}  // namespace fathom::cli

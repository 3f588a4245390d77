// Who is meant: fio's command line or one of our subcommands. fio mode when called as `fio`, when the first argument is
// an option other than --version/-v/--help/-h, or when it is no subcommand and names a file. A subcommand wins over a
// file of its name. Called as `spdk_nvme_perf`, SPDK's tool is meant, as `pmbench` pmbench.
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
  std::string name;               // subcommand, or the unknown word
  std::vector<std::string> args;  // what follows it; in fio mode everything
};

Entry choose_applet(std::string_view program, std::span<const std::string> args,
                    const std::function<bool(const std::string&)>& is_file);

}  // namespace fathom::cli

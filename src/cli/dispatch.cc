// Selects the program by the name of the call and its words.
#include "cli/dispatch.h"

#include "cli/commands.h"

namespace fathom::cli {
Entry choose_applet(std::string_view program, std::span<const std::string> args,
                    const std::function<bool(const std::string&)>& is_file) {
  const std::string_view base =
      program.substr(program.rfind('/') == std::string_view::npos ? 0 : program.rfind('/') + 1);
  std::vector<std::string> all(args.begin(), args.end());
  if (base == "fio") return {Applet::fio, "fio", std::move(all)};
  if (base == "spdk_nvme_perf") return {Applet::spdk_perf, "spdk_nvme_perf", std::move(all)};
  if (base == "pmbench") return {Applet::pmbench, "pmbench", std::move(all)};
  if (args.empty()) return {Applet::nothing, "", {}};
  const std::string& first = args[0];
  std::vector<std::string> rest(args.begin() + 1, args.end());
  if (first == "--version" || first == "-v") return {Applet::subcommand, "version", std::move(rest)};
  if (first == "--help" || first == "-h") return {Applet::subcommand, "help", std::move(rest)};
  if (first.size() > 1 && first[0] == '-') return {Applet::fio, "fio", std::move(all)};
  if (find_command(commands(), first)) return {Applet::subcommand, first, std::move(rest)};
  if (first == "-" || is_file(first)) return {Applet::fio, "fio", std::move(all)};
  return {Applet::unknown, first, std::move(rest)};
}

}  // namespace fathom::cli

// `fathom nvme log`: reads and prints a page (session/controllers/log_pages.h has the pages).
#include <algorithm>

#include "cli/manuals.h"
#include "cli/nvme_commands/nvme_command.h"
#include "cli/nvme_commands/nvme_device.h"
#include "report/formats.h"
#include "session/controllers/log_pages.h"

namespace fathom::cli::nvme_commands {
namespace {

constexpr options::Row kLogRows[] = {
    kDeviceRow, options::noted({"json", "", "print JSON"}),
    options::noted({"raw", "", "write the bytes of the page as read from the device"})};
constexpr options::Group kLogOptions[] = {{"", kLogRows}};
constexpr Manual kLogManual{
    "fathom nvme log", "PAGE --device=DEV [--json | --raw]",
    "Prints a log page: error (failed commands, newest first), smart (health), firmware (slots and revisions),\n"
    "changed-ns (namespaces that changed since the last read; reading clears it).\n",
    kLogOptions};

base::Expected<std::string> read_page(const session::controllers::LogRow& row, const Given& given) {
  auto device = open_device(given);
  if (!device) return device.error();
  const auto page = session::controllers::read_log_page(*device->controller, row);
  if (!page) return page.error();
  if (given.has("raw")) return std::string(reinterpret_cast<const char*>(page->data()), page->size());
  const result::NvmeLog found{device->address.controller(), std::string(row.name), row.entries(*page)};
  return given.has("json") ? report::nvme_log_json(found) : report::nvme_log_text(found);
}

base::Expected<std::string> log(const Given& given) {
  Given rest = given;
  for (const auto& row : session::controllers::log_rows()) {
    const auto word = std::find(rest.arguments.begin(), rest.arguments.end(), row.name);
    if (word == rest.arguments.end()) continue;
    rest.arguments.erase(word);
    return read_page(row, rest);
  }
  return usage_error(given.arguments.empty() ? "which page?" : "unknown log page `" + given.arguments[0] + "`", "",
                     "one of: error, smart, firmware, changed-ns");
}

}  // namespace

const Manual& nvme_log_manual() { return kLogManual; }

int nvme_log_command(std::span<const std::string> args) { return with_options(kLogManual, args, log); }

}  // namespace fathom::cli::nvme_commands

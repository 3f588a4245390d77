// Reading the list, writing what it names.
#include "cli/report_commands/text_formats.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"
#include "cli/subcommand.h"
#include "report/formats.h"

namespace fathom::cli::report_commands {

bool is_page(const Given& given) {
  const auto* output = given.last("output");
  return output != nullptr && output->ends_with(".html") && !given.has("output-format");
}

base::Expected<std::vector<std::string>> formats_asked(const Given& given, const result::Stored& kind) {
  const auto* list = given.last("output-format");
  if (list != nullptr) return formats_named(*list, kind);
  return std::vector<std::string>{given.has("json") ? "json" : is_page(given) ? "html" : "text"};
}

base::Expected<void> open_output(const Given& given, ReportFile& file) {
  Outputs outputs{.named = {}, .overwrite = given.has("force")};
  const auto* output = given.last("output");
  return file.open(outputs, "--output", output == nullptr ? "" : *output);
}

base::Expected<std::vector<std::string>> formats_named(const std::string& list, const result::Stored& kind) {
  const auto known = report::format_names(kind);
  std::vector<std::string> formats;
  for (std::size_t at = 0; at <= list.size();) {
    const auto end = std::min(list.find(',', at), list.size());
    formats.push_back(list.substr(at, end - at));
    const bool is_text = formats.back() == "normal" || formats.back() == "text";
    if (is_text) formats.back() = known.front();  // `normal` of a run
    if (std::find(known.begin(), known.end(), formats.back()) == known.end())
      return usage_error(fmt::format("--output-format: unknown format `{}`", formats.back()), "",
                         base::did_you_mean(formats.back(), known, fmt::format("they are {}", fmt::join(known, ", "))));
    at = end + 1;
  }
  return formats;
}

base::Expected<void> write_reports_to(ReportFile& file, const std::vector<std::string>& formats,
                                      const result::Stored& stored, bool plots) {
  auto canvas = file.canvas();
  canvas.plots = plots;
  const auto text = report::report_in(formats, stored, canvas);
  const bool for_people = std::all_of(formats.begin(), formats.end(), report::is_for_people);
  return for_people ? file.write_for_people(text, report::answer_of(stored, canvas)) : file.write(text);
}

}  // namespace fathom::cli::report_commands

// A word, and after a colon a file or a port.
#include "options/live_row.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/parse.h"

namespace fathom::options {
namespace {

struct Form {
  std::string_view name;
  Live::Kind kind;
  std::string_view behind;  // example of the text after the colon; empty: optional
};
constexpr Form kForms[] = {{"json", Live::Kind::json, ""},
                           {"metrics", Live::Kind::metrics, "FILE"},
                           {"metrics-keep", Live::Kind::kept_metrics, "FILE"},
                           {"page", Live::Kind::page, "8080"}};

// At most one of each: a stream of objects, a metrics file (kept or not), a page.
Live::Kind one_of(Live::Kind kind) { return kind == Live::Kind::kept_metrics ? Live::Kind::metrics : kind; }

Outcome read_port(std::string_view text, const Value& value, std::uint16_t& port) {
  const auto number = base::text::parse_int(text);
  if (!number || *number < 0 || *number > 65535)
    return wrong("not a port", "ports are at most 65535; 0 selects a free port", "write `--live=page:8080`",
                 value.text);
  port = static_cast<std::uint16_t>(*number);
  return {};
}

}  // namespace

Outcome add_live(std::vector<Live>& all, const Value& value) {
  const auto colon = std::min(value.text.find(':'), value.text.size());
  const auto behind = value.text.substr(std::min(colon + 1, value.text.size()));
  for (const auto& form : kForms) {
    if (value.text.substr(0, colon) != form.name) continue;
    const bool needed = !form.behind.empty() || colon < value.text.size();
    if (behind.empty() && needed)
      return wrong(form.kind == Live::Kind::page ? "a port is missing" : "a file is missing", "",
                   fmt::format("write `--live={}:{}`", form.name, form.behind.empty() ? "FILE" : form.behind),
                   value.text);
    for (const auto& other : all)
      if (one_of(other.kind) == one_of(form.kind))
        return wrong("written twice", "only one stream of objects, one metrics file and one page are possible",
                     "omit one of them", value.text);
    Live live{form.kind, std::string(behind), 0};
    if (form.kind == Live::Kind::page)
      if (auto problem = read_port(behind, value, live.port)) return problem;
    all.push_back(std::move(live));
    return {};
  }
  return wrong("not a live view",
               "the views are `json`, `json:FILE`, `metrics:FILE`, `metrics-keep:FILE` and `page:PORT`",
               "write `--live=json:FILE`", value.text);
}

}  // namespace fathom::options

// The kinds are the alternatives of result::Stored: the one whose kFormat the file has is read by its list of fields.
#include "import/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "import/json_fields.h"
#include "result/stored.h"

namespace fathom::import {
namespace {

using Read = base::Expected<result::Stored>;

template <class T>
base::Expected<T> read_fields(const JsonTree& tree) {
  JsonDocument in(tree, result::kOfDocuments);
  JsonReader reader(in, tree.root());
  T result;
  if (!in.failed()) walk(reader, result);
  if (in.failed()) return in.error();
  if (!in.lacking().empty())
    return tree.error(0, fmt::format("no \"{}\"", *in.lacking().begin()),
                      "a damaged file, or one that an older fathom wrote, which stored less");
  return result;
}

template <class T>
Read read(const JsonTree& tree) {
  for (const auto& child : tree.root().children)
    if (child.name == "format_version" && !(child.is(JsonNode::Kind::count) && child.count == result::kFormatVersion))
      return tree.error(child.offset, "a file of another format_version",
                        fmt::format("this fathom reads {}", result::kFormatVersion));
  auto result = read_fields<T>(tree);
  if (!result) return result.error();
  return result::Stored(std::move(*result));
}

// The alternatives behind the run.
template <std::size_t... I>
std::optional<Read> read_kind(const JsonTree& tree, std::string_view format, std::index_sequence<I...>) {
  std::optional<Read> found;
  const auto look = [&]<class T>(T*) {
    if (format == T::kFormat) found.emplace(read<T>(tree));
  };
  (look(static_cast<std::variant_alternative_t<I + 1, result::Stored>*>(nullptr)), ...);
  return found;
}

}  // namespace

Read read_document(const JsonTree& tree, const JsonNode& format) {
  constexpr auto kKinds = std::make_index_sequence<std::variant_size_v<result::Stored> - 1>();
  if (auto found = read_kind(tree, format.text, kKinds)) return *std::move(found);
  return tree.error(format.offset, fmt::format("no format \"{:.40}\" of fathom", format.text),
                    "a damaged file, or one that something else or a newer fathom wrote");
}

bool begins_with_interval(std::string_view text) { return text.starts_with("{\"time_s\""); }

Read read_interval_lines(std::string_view text, const std::string& file_name) {
  std::vector<result::PmuIntervalRows> intervals;
  for (auto rest = text; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    JsonTree tree(one, text, file_name);
    if (auto ok = tree.parse(); !ok) return ok.error();
    if (!begins_with_interval(one)) {
      auto stat = read_fields<result::PmuStat>(tree);
      if (!stat) return stat.error();
      stat->intervals = std::move(intervals);
      return result::Stored(std::move(*stat));
    }
    auto rows = read_fields<result::PmuIntervalRows>(tree);
    if (!rows) return rows.error();
    intervals.push_back(std::move(*rows));
  }
  return JsonTree(text.substr(0, 0), text, file_name)
      .error(0, "intervals, and not the whole run behind them", "the command was killed before it wrote its last line");
}

}  // namespace fathom::import

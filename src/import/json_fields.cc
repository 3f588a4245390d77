// Single values, and what is not read field by field.
#include "import/json_fields.h"

#include <algorithm>

#include "import/xml_reader.h"

namespace fathom::import {

const JsonNode* JsonReader::find(const char* name) {
  const auto& children = at_->children;
  const std::string_view wanted = name;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const std::size_t at = (next_ + i) % children.size();
    if (children[at].name != wanted) continue;
    next_ = at;
    return &children[at];
  }
  return nullptr;
}

std::string JsonReader::shown(const JsonNode& node) {
  return node.is(Kind::text) ? fmt::format("\"{:.40}\"", node.text) : kind_name(node);
}

void JsonReader::wrong(const JsonNode& node, const std::string& wanted) {
  in_.fail(node, fmt::format("\"{:.40}\" is {}", node.name, shown(node)), fmt::format("it should be {}", wanted));
}

// null stands for what is no number.
void JsonReader::read(const JsonNode& node, double& value) {
  switch (node.kind) {
    case Kind::real:
      value = node.real;
      return;
    case Kind::count:
      value = static_cast<double>(node.count);
      return;
    case Kind::integer:
      value = static_cast<double>(node.integer);
      return;
    case Kind::null:
      value = std::numeric_limits<double>::quiet_NaN();
      return;
    default:
      wrong(node, "a number");
  }
}

void JsonReader::wide(const result::Key& key, unsigned __int128& value) {
  const auto* node = need(key);
  if (!node) return;
  const auto read = node->is(Kind::text) ? to_wide(node->text) : std::nullopt;
  if (!read) return wrong(*node, "the digits of a whole number");
  value = *read;
}

void JsonReader::histogram(const result::Key& key, stats::Histogram& histogram) {
  const auto* node = find(key.name);
  if (!node) return;
  std::vector<stats::Histogram::Bin> bins;
  std::uint64_t all = 0;
  for (const auto& child : node->children) {
    const auto value = to_count(child.name);
    std::uint64_t count = 0;
    read(child, count);
    const auto bucket = static_cast<std::uint32_t>(stats::bucket_of(value.value_or(0)));
    if (!value || (!bins.empty() && bins.back().bucket >= bucket))
      return in_.fail(child, fmt::format("\"{:.40}\" is no bucket of a histogram", child.name),
                      "values in rising order");
    if (count > std::numeric_limits<std::uint64_t>::max() - all)
      return in_.fail(child, "the counts of a histogram are too many", "64 bits hold them all");
    all += count;
    bins.push_back({bucket, count});
  }
  histogram = stats::Histogram::of_bins(std::move(bins));
}

void JsonReader::repetitions(const result::Key& key, std::vector<result::Run>& runs, const result::Run& whole) {
  // Each that is the one above is a copy of it: three words there, all of its jobs here.
  constexpr std::size_t kMostCopies = 1 << 17;
  std::size_t copies_left = kMostCopies;
  std::vector<result::Run> read;
  array(key, [&](const JsonNode& node) {
    JsonReader in(in_, node);
    const auto* shown = in_.failed() ? nullptr : in.find("shown");
    if (shown && shown->is(Kind::boolean) && shown->boolean) {
      const std::size_t jobs =
          1 + whole.jobs.size() + whole.group_members.size() + (whole.paging ? whole.paging->series.size() : 0);
      if (jobs > copies_left) return in_.fail(node, "too many repetitions are the one that is shown", "a damaged file");
      copies_left -= jobs;
    }
    if (!in_.failed()) walk_repetition(in, read.emplace_back(), whole);
  });
  runs = std::move(read);
}

}  // namespace fathom::import

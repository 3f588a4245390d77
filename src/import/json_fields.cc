// Single values, and values that are not read field by field.
#include "import/json_fields.h"

#include <algorithm>
#include <cmath>

#include "import/xml_reader.h"

namespace fathom::import {

// sum((x - mean)^2) = sum(x^2) - sum(x)^2 / n. The sum is exact if six digits of the mean suffice: for fewer than a
// million samples.
void set_sums(stats::Moments& moments, double mean, double stddev) {
  if (moments.n == 0) return;
  constexpr auto kMostSum = static_cast<long double>(std::numeric_limits<std::uint64_t>::max());
  const auto n = static_cast<long double>(moments.n);
  const auto within = [](long double value, long double low, long double high) {
    return value >= low ? std::min(value, high) : low;
  };
  const long double sum = within(std::round(static_cast<long double>(mean) * n), 0, kMostSum);
  moments.sum = sum >= kMostSum ? std::numeric_limits<std::uint64_t>::max() : static_cast<std::uint64_t>(sum);
  const long double deviation = within(stddev, 0, kMostSum);
  const long double squares = deviation * deviation * (n - 1) + sum * sum / n;
  constexpr long double kMostSquares = 0x1p127L;
  moments.sum_squares = static_cast<unsigned __int128>(std::round(within(squares, 0, kMostSquares)));
}

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
  in_.fail(node, fmt::format("\"{:.40}\" is {}", node.name, shown(node)), fmt::format("expected {}", wanted));
}

// null is a value that is not a number.
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

void JsonReader::stored_percentiles(const result::Key& key, stats::PercentileTable& table) {
  const auto* node = need(key);
  if (!node) return;
  if (!node->is(Kind::object)) return wrong(*node, "an object");
  table.clear();
  for (const auto& child : node->children) {
    const auto percentile = to_real(child.name);
    if (!percentile || !(*percentile > (table.empty() ? 0 : table.back().first) && *percentile <= 100))
      return in_.fail(child, fmt::format("\"{:.40}\" is not a percentile", child.name),
                      "rising, above 0 and up to 100");
    read(child, table.emplace_back(*percentile, 0).second);
  }
}

JsonReader::Bin JsonReader::bin_of(const JsonNode& node) {
  Bin bin;
  if (node.is(Kind::array)) {
    if (node.children.size() != 2) return wrong(node, "a value and its count"), bin;
    read(node.children[0], bin.value), read(node.children[1], bin.count);
  } else {
    const auto value = to_count(node.name);
    if (!value)
      in_.fail(node, fmt::format("\"{:.40}\" is not a bucket of a histogram", node.name), "values in rising order");
    bin.value = value.value_or(0);
    read(node, bin.count);
  }
  return bin;
}

void JsonReader::histogram(const result::Key& key, stats::Histogram& histogram) {
  const auto* node = find(key.name);
  if (!node) return;
  std::vector<stats::Histogram::Bin> bins;
  std::uint64_t all = 0;
  if (!node->is(Kind::array) && !node->is(Kind::object)) return wrong(*node, "an array of pairs");
  for (const auto& child : node->children) {
    const auto pair = bin_of(child);
    if (in_.failed()) return;
    const auto bucket = static_cast<std::uint32_t>(stats::bucket_of(pair.value));
    if (!bins.empty() && bins.back().bucket >= bucket)
      return in_.fail(child, fmt::format("{} is not a bucket of a histogram", pair.value), "values in rising order");
    const auto count = pair.count;
    if (count > std::numeric_limits<std::uint64_t>::max() - all)
      return in_.fail(child, "the counts of a histogram are too many", "the sum must fit in 64 bits");
    all += count;
    bins.push_back({bucket, count});
  }
  histogram = stats::Histogram::of_bins(std::move(bins));
}

void JsonReader::repetitions(const result::Key& key, std::vector<result::Run>& runs, const result::Run& whole) {
  // A repetition with `shown` is a copy of the shown run: three words in the file, but all its jobs in memory.
  constexpr std::size_t kMostCopies = 1 << 17;
  std::size_t copies_left = kMostCopies;
  std::vector<result::Run> read;
  array(key, [&](const JsonNode& node) {
    JsonReader in(in_, node);
    const auto* shown = in_.failed() ? nullptr : in.find("shown");
    if (shown && shown->is(Kind::boolean) && shown->boolean) {
      const std::size_t jobs =
          1 + whole.jobs.size() + whole.group_members.size() + (whole.paging ? whole.paging->series.size() : 0);
      if (jobs > copies_left)
        return in_.fail(node, "too many repetitions are copies of the shown one", "a damaged file");
      copies_left -= jobs;
    }
    if (!in_.failed()) walk_repetition(in, read.emplace_back(), whole);
  });
  runs = std::move(read);
}

}  // namespace fathom::import

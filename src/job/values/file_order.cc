// A word, and after a colon the number of I/Os or the shape of a distribution.
#include "job/values/file_order.h"

#include <fcntl.h>

#include <fmt/format.h>

namespace fathom::job::values {
namespace {

struct Order {
  std::string_view name;
  fields::FileOrder order;
  pattern::Kind kind;
  double fallback, min, max;  // of a distribution's parameter
};
constexpr Order kOrders[] = {
    {"roundrobin", fields::FileOrder::roundrobin, pattern::Kind::uniform, 0, 0, 0},
    {"random", fields::FileOrder::random, pattern::Kind::uniform, 0, 0, 0},
    {"sequential", fields::FileOrder::sequential, pattern::Kind::uniform, 0, 0, 0},
    {"zipf", fields::FileOrder::drawn, pattern::Kind::zipf, 1.1, 0, 100},
    {"pareto", fields::FileOrder::drawn, pattern::Kind::pareto, 0.2, 0, 1},
    {"normal", fields::FileOrder::drawn, pattern::Kind::normal, 0, 0, 100},
    {"gauss", fields::FileOrder::drawn, pattern::Kind::normal, 0, 0, 100},
};

// The kernel's names without SYNC_FILE_RANGE_.
struct RangeFlag {
  std::string_view name;
  unsigned flag;
};
constexpr RangeFlag kRangeFlags[] = {
    {"wait_before", SYNC_FILE_RANGE_WAIT_BEFORE},
    {"write", SYNC_FILE_RANGE_WRITE},
    {"wait_after", SYNC_FILE_RANGE_WAIT_AFTER},
};

Outcome read_often(const Value& value, std::string_view text, std::uint32_t& out) {
  std::uint64_t n = 0;
  if (auto problem = read_bytes(value.part(text), n)) return problem;
  if (n == 0 || n > kMaxU32)
    return wrong("out of range", fmt::format("the range is 1 to {}", kMaxU32), "write a number of I/Os", text);
  out = static_cast<std::uint32_t>(n);
  return {};
}

Outcome read_shape(const Value& value, const Order& row, std::string_view text, pattern::Spec& spec) {
  spec = {};
  spec.kind = row.kind;
  spec.parameter = row.fallback;
  if (text.empty()) return {};
  if (auto problem = read_real(value.part(text), static_cast<std::int64_t>(row.min), static_cast<std::int64_t>(row.max),
                               spec.parameter))
    return problem;
  const bool excluded = (row.kind == pattern::Kind::zipf && spec.parameter == 1) ||
                        (row.kind == pattern::Kind::pareto && (spec.parameter <= 0 || spec.parameter >= 1));
  if (!excluded) return {};
  return wrong("out of range", fmt::format("{} has no value in this range", row.name),
               fmt::format("write `{}:{}`", row.name, row.fallback), text);
}

}  // namespace

Outcome read_file_order(fields::FileOptions& files, const Value& value) {
  const std::size_t colon = value.text.find(':');
  const auto name = value.text.substr(0, colon);
  const auto rest = colon == std::string_view::npos ? std::string_view() : value.text.substr(colon + 1);
  for (const auto& row : kOrders) {
    if (row.name != name) continue;
    files.order = row.order;
    files.ios_a_turn = 1;
    if (row.order == fields::FileOrder::drawn) return read_shape(value, row, rest, files.drawn_by);
    return rest.empty() ? Outcome() : read_often(value, rest, files.ios_a_turn);
  }
  return wrong("not an order of files", "the orders are roundrobin, random, sequential, zipf, pareto and normal",
               "write one of them", name);
}

Outcome read_range_sync(fields::FileOptions& files, const Value& value) {
  const std::size_t colon = value.text.rfind(':');
  const auto words = value.text.substr(0, colon);
  unsigned flags = 0;
  for (const auto word : split(words, ',')) {
    const auto* row = std::begin(kRangeFlags);
    while (row != std::end(kRangeFlags) && row->name != word) ++row;
    if (row == std::end(kRangeFlags))
      return wrong("not a part of sync_file_range(2)", "the parts are wait_before, write and wait_after",
                   "write for example `sync_file_range=write:8`", word);
    flags |= row->flag;
  }
  files.range_sync_flags = static_cast<std::uint8_t>(flags);
  files.range_sync_every = 1;
  if (colon == std::string_view::npos) return {};
  return read_often(value, value.text.substr(colon + 1), files.range_sync_every);
}

}  // namespace fathom::job::values

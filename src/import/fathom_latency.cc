// A histogram with its exact sums: "value:count value:count". The counts must add up to the stored count.
#include "import/fathom_fields.h"

namespace fathom::import {
namespace {

bool read_bins(std::string_view text, stats::Histogram& histogram) {
  while (!text.empty()) {
    const auto word = next_word(text);
    const auto colon = word.find(':');
    if (colon == std::string_view::npos) return false;
    const auto value = to_count(word.substr(0, colon)), count = to_count(word.substr(colon + 1));
    if (!value || !count) return false;
    histogram.add(*value, *count);
  }
  return true;
}

template <class Enum>
std::optional<std::size_t> index_of(std::string_view word, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (word == name(static_cast<Enum>(i))) return i;
  return std::nullopt;
}

}  // namespace

void read_latency(XmlReader& in, pugi::xml_node node, result::AccessLatency& latency) {
  latency.moments_ns.n = in.count(node, "count");
  latency.moments_ns.sum = in.count(node, "sum_ns");
  latency.moments_ns.max = in.count(node, "max_ns");
  latency.moments_ns.min_inverted = ~in.count(node, "min_ns");
  const auto squares = to_wide(in.text(node, "sum_squares_ns2"));
  if (!squares || !read_bins(in.text(node, "bins_ns"), latency.histogram_ns))
    return in.fail(node, fmt::format("a <{}> with an unreadable sum_squares_ns2 or bins_ns", node.name()),
                   "pairs value:count");
  latency.moments_ns.sum_squares = *squares;
  if (latency.moments_ns.n == 0 || latency.histogram_ns.total() != latency.moments_ns.n)
    in.fail(node, fmt::format("a <{}> with bins that do not add up to its count", node.name()), "a damaged file");
}

void ElementReader::classes(const char* key, result::AccessLatencies& latencies) {
  for (const auto node : at_.child(key).children("class")) {
    const auto c = index_of<result::AccessClass>(node.attribute("name").value(), result::kAccessClasses);
    const auto d = index_of<result::AccessDir>(node.attribute("type").value(), result::kAccessDirs);
    if (!c || !d) return in_.fail(node, "a <class> without a known name or type", "hit, minor, major; read, write");
    auto& latency = latencies[*c][*d];
    if (latency.moments_ns.n > 0)
      return in_.fail(
          node, fmt::format("two <class> of {} {}", node.attribute("name").value(), node.attribute("type").value()),
          "a damaged file");
    read_latency(in_, node, latency);
    if (in_.failed()) return;
  }
}

}  // namespace fathom::import

// The kinds of swap, and the format of each.
#include "paging_job/swap.h"

#include <algorithm>

#include "base/text/parse.h"
#include "options/source.h"
#include "paging_job/values.h"

namespace fathom::paging_job {
namespace {

base::Error not_a_swap(const std::string& cause, const std::string& help) {
  return options::usage_error(
      cause, "", help.empty() ? "zram:SIZE[:ALGORITHM], file:PATH:SIZE, dev:/dev/x, current or none" : help);
}

}  // namespace

// The path of a file may contain a comma: it does if no size precedes the comma.
std::vector<std::string> split_swaps(const std::string& text) {
  std::vector<std::string> swaps;
  for (auto& part : split(text, ',')) {
    if (!swaps.empty() && swaps.back().starts_with("file:/") && !read_swap(swaps.back()))
      swaps.back() += "," + part;
    else
      swaps.push_back(std::move(part));
  }
  return swaps;
}

base::Expected<paging::SwapPlan> read_swap(const std::string& text) {
  using Kind = paging::SwapPlan::Kind;
  const auto parts = split(text, ':');
  paging::SwapPlan plan;
  plan.text = text;
  if (text == "current" || text == "none") {
    plan.kind = text == "none" ? Kind::none : Kind::current;
    return plan;
  }
  const auto size_of = [&](const std::string& word) {
    const auto bytes = base::text::parse_bytes(word);
    if (bytes) plan.size_bytes = *bytes;
    return bytes && *bytes >= kPage_bytes && *bytes % kPage_bytes == 0 && *bytes <= kMostMap_bytes;
  };
  if (parts[0] == "zram") {
    plan.kind = Kind::zram;
    if (parts.size() < 2 || parts.size() > 3) return not_a_swap("no size", "`--swap=zram:2G`");
    if (!size_of(parts[1])) return not_a_swap("`" + parts[1] + "` is not a size", "`--swap=zram:2G`");
    if (parts.size() == 3) plan.compressor = parts[2];
    if (parts.size() == 3 && plan.compressor.empty()) return not_a_swap("no algorithm", "`--swap=zram:2G:lz4`");
    return plan;
  }
  if (parts[0] == "file") {
    plan.kind = Kind::file;
    const auto first = text.find(':'), last = text.rfind(':');
    if (first == last) return not_a_swap("no size", "`--swap=file:/var/tmp/fathom.swap:2G`");
    plan.path = text.substr(first + 1, last - first - 1);
    if (plan.path.empty() || !size_of(text.substr(last + 1)))
      return not_a_swap("not a path and a size", "`--swap=file:/var/tmp/fathom.swap:2G`");
    return plan;
  }
  if (parts[0] == "dev") {
    plan.kind = Kind::device;
    plan.path = text.substr(std::min(text.size(), std::size_t{4}));
    if (!plan.path.starts_with('/')) return not_a_swap("no device", "`--swap=dev:/dev/nvme0n1p3`");
    return plan;
  }
  return not_a_swap("unknown kind of swap", "");
}

}  // namespace fathom::paging_job

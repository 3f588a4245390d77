// The lines in which published scripts search for pmbench's numbers. The scripts sum accesses per second, average the
// net latency, or read the histogram's rows. Examples of sums: scripts on the kernel's mailing list, and LKP's
// statistics of pmbench. No other lines of pmbench's text are written. The format of the lines is the one that those
// scripts match.
#include <fmt/format.h>

#include "report/paging/paging_view.h"
#include "report/paging_formats.h"

namespace fathom::report::paging {
namespace {

using result::AccessDir;
using result::Paging;

// The run time of each thread and its number of accesses: scripts divide the second by the first, and add the rates.
std::string throughput(const Paging& paging) {
  std::string out;
  for (std::size_t i = 0; i < paging.workers.size(); ++i) {
    const auto& worker = paging.workers[i];
    out += fmt::format("[{}] Benchmark done - took {:.3f} sec for {} page access\n", i + 1,
                       static_cast<double>(worker.wall_ns) / 1e9, result::pmbench_thread(paging, worker).samples);
  }
  return out;
}

std::string averages(const Paging& paging) {
  std::string out;
  for (const auto& worker : paging.workers) {
    const auto t = result::pmbench_thread(paging, worker);
    out += fmt::format("Net average page latency (Arith. mean): {:.4f} us ({} clks)\n", t.net_us, t.net_clk);
    out +=
        fmt::format("  Page latency during benchmark (inc. gen): {:.4f} us ({} clks)\n", t.latency_us, t.latency_clk);
  }
  return out;
}

// One row per power of two: its count, and its sixteen bins if it has them.
std::string rows(const stats::PmbenchBins& bins) {
  std::string out = fmt::format("2^(00,08) ns: {}\n", bins.below_256_ns);
  for (std::size_t i = 0; i < stats::kPmbenchOctaves; ++i) {
    std::uint64_t sum = 0;
    for (const auto count : bins.octaves[i]) sum += count;
    out += fmt::format("2^({:02},{:02}) ns: {}  [{}]\n", i + 8, i + 9, sum, fmt::join(bins.octaves[i], ", "));
  }
  for (std::size_t i = 0; i < stats::kPmbenchHighBins; ++i)
    out += fmt::format("2^({},{}) ns: {}\n", i + 23, i + 1 == stats::kPmbenchHighBins ? 32 : i + 24, bins.high[i]);
  return out + fmt::format("Total samples: {}\n", bins.total());
}

std::string histograms(const Paging& paging) {
  std::string out;
  if (paging.access != "histogram") return out;
  for (const auto dir : {AccessDir::read, AccessDir::write})
    if (result::asked_for(paging, dir))
      out += (dir == AccessDir::read ? "Read:\n" : "Write:\n") +
             rows(stats::pmbench_view(result::of_dir(paging.latency, dir).histogram_ns));
  return out;
}

}  // namespace

}  // namespace fathom::report::paging

namespace fathom::report {

using namespace paging;

std::string pmbench_lines(const result::Run& run) {
  if (!run.paging) return "";
  std::string out = "\nfor scripts that read pmbench's lines:\n";
  const auto add = [&](const Paging& paging) { out += throughput(paging) + averages(paging) + histograms(paging); };
  for (const auto& repetition : run.repetitions)
    if (repetition.paging) add(*repetition.paging);
  if (run.repetitions.empty()) add(*run.paging);
  return out;
}

}  // namespace fathom::report

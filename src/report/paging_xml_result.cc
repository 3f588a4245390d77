// Threads, histograms of reads and writes over all threads and classes, and the kernel's memory counters with their
// changes. Nine of a histogram's 24 buckets carry index 0: below 2^8 ns, and the eight from 2^23 ns on.
#include <fmt/format.h>

#include "report/paging_view.h"
#include "report/paging_xml.h"

namespace fathom::report {
namespace {

using result::PagingMemoryItem;

void write_pair(pugi::xml_node to, const char* name, const std::string& prefix, double us, std::int64_t clk) {
  auto node = to.append_child(name);
  add_element(node, (prefix + "_us").c_str(), fmt::format("{:.4f}", us));
  add_element(node, (prefix + "_clk").c_str(), fmt::format("{}", clk));
}

void write_thread(pugi::xml_node results, const result::Paging& paging, std::size_t index) {
  const auto& worker = paging.workers[index];
  const auto numbers = pmbench_thread(paging, worker);
  auto thread = results.append_child("result_thread");
  add_attribute(thread, "thread_num", fmt::format("{}", index + 1));
  write_pair(thread, "result_netavg", "netavg", numbers.net_us, numbers.net_clk);
  auto details = thread.append_child("result_details");
  write_pair(details, "details_latency", "latency", numbers.latency_us, numbers.latency_clk);
  add_element(details, "details_samples", fmt::format("{}", numbers.samples));
  write_pair(details, "details_overhead", "overhead", numbers.overhead_us, numbers.overhead_clk);
  add_element(details, "details_total", fmt::format("{}", worker.overhead_accesses));
  if (paging.cold) return;
  auto warmup = thread.append_child("warmup_details");
  write_pair(warmup, "warmup_latency", "warmup", numbers.warmup_us, numbers.warmup_clk);
  add_element(warmup, "warmup_total", fmt::format("{}", worker.warmup_accesses));
}

pugi::xml_node write_bucket(pugi::xml_node histogram, std::size_t index, std::size_t low, std::size_t high,
                            std::uint64_t count) {
  auto bucket = histogram.append_child("histo_bucket");
  add_attribute(bucket, "index", fmt::format("{}", index));
  auto interval = bucket.append_child("bucket_interval");
  add_element(interval, "interval_lo", fmt::format("{}", low));
  add_element(interval, "interval_hi", fmt::format("{}", high));
  add_element(bucket, "sum_count", fmt::format("{}", count));
  return bucket;
}

void write_histogram(pugi::xml_node statistics, const char* type, const stats::PmbenchBins& bins) {
  auto histogram = statistics.append_child("histogram");
  add_attribute(histogram, "type", type);
  write_bucket(histogram, 0, 0, 8, bins.below_256_ns);
  for (std::size_t i = 0; i < stats::kPmbenchOctaves; ++i) {
    std::uint64_t sum = 0;
    for (const auto count : bins.octaves[i]) sum += count;
    auto hexes = write_bucket(histogram, i + 1, i + 8, i + 9, sum).append_child("bucket_hexes");
    for (std::size_t j = 0; j < stats::kPmbenchBinsAnOctave; ++j)
      add_attribute(add_element(hexes, "hex", fmt::format("{}", bins.octaves[i][j])), "index", fmt::format("{}", j));
  }
  for (std::size_t i = 0; i < stats::kPmbenchHighBins; ++i)
    write_bucket(histogram, 0, 23 + i, i + 1 == stats::kPmbenchHighBins ? 32 : 24 + i, bins.high[i]);
}

struct MemoryField {
  const char* name;
  std::uint64_t PagingMemoryItem::*member;
};
constexpr MemoryField kMemoryFields[] = {
    {"free_kib", &PagingMemoryItem::free_kib},         {"buffer_kib", &PagingMemoryItem::buffer_kib},
    {"cache_kib", &PagingMemoryItem::cache_kib},       {"active_kib", &PagingMemoryItem::active_kib},
    {"inactive_kib", &PagingMemoryItem::inactive_kib}, {"pgpgin", &PagingMemoryItem::pgpgin},
    {"pgpgout", &PagingMemoryItem::pgpgout},           {"pswpin", &PagingMemoryItem::pswpin},
    {"pswpout", &PagingMemoryItem::pswpout},           {"pgmajfault", &PagingMemoryItem::pgmajfault}};
constexpr const char* kWindowsFields[] = {"AvailPhys", "dwMemoryLoad", "TotalPageFile", "AvailPageFile",
                                          "AvailVirtual"};

// An item's own numbers, or with `from` what changed since that one.
void write_counts(pugi::xml_node to, const PagingMemoryItem& item, const PagingMemoryItem* from) {
  const auto windows = [](const PagingMemoryItem& of, const char* name) {
    const auto found = of.windows.find(name);
    return found == of.windows.end() ? std::int64_t{0} : found->second;
  };
  const auto difference = [](std::uint64_t a, std::uint64_t b) { return static_cast<std::int64_t>(a - b); };
  if (!item.windows.empty()) {
    for (const auto* name : kWindowsFields)
      add_element(to, name,
                  fmt::format("{}", difference(static_cast<std::uint64_t>(windows(item, name)),
                                               from ? static_cast<std::uint64_t>(windows(*from, name)) : 0)));
    return;
  }
  for (const auto& field : kMemoryFields)
    add_element(to, field.name, fmt::format("{}", difference(item.*field.member, from ? from->*field.member : 0)));
}

}  // namespace

void xml_results(pugi::xml_node report, const result::Run& run) {
  auto results = report.append_child("result");
  for (std::size_t i = 0; i < run.paging->workers.size(); ++i) write_thread(results, *run.paging, i);
}

void xml_statistics(pugi::xml_node report, const result::Run& run) {
  const auto& paging = *run.paging;
  if (paging.access != "histogram") return;
  auto statistics = report.append_child("statistics");
  const auto bins = [&](result::AccessDir dir) {
    return stats::pmbench_view(of_dir(paging.latency, dir).histogram_ns);
  };
  for (const auto dir : {result::AccessDir::read, result::AccessDir::write})
    if (asked_for(paging, dir)) write_histogram(statistics, name(dir), bins(dir));
}

void xml_memory(pugi::xml_node report, const result::Run& run) {
  const auto& items = run.paging->memory_items;
  auto memory = report.append_child("sys_mem_info");
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto item = memory.append_child("sys_mem_item");
    add_attribute(item, "name", items[i].name);
    write_counts(item.append_child("mem_item_info"), items[i], nullptr);
    if (i + 1 < items.size()) write_counts(item.append_child("mem_item_delta"), items[i + 1], &items[i]);
  }
}

}  // namespace fathom::report

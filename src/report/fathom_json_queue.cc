// Counters as they were counted, beside them the ratios that the text shows, so that nobody has to divide.
#include "report/fathom_json_queue.h"

#include "report/queue_rates.h"

namespace fathom::report {
namespace {

void write_device(JsonWriter& w, const result::QueueStats::Device& device, const DeviceRow* row) {
  w.begin_object();
  w.field("name", device.name);
  w.field("model", device.model);
  w.field("serial", device.serial);
  w.field("firmware", device.firmware);
  w.field("pcie", on_pcie(device.name));
  w.field("block_bytes", device.block_bytes);
  w.field("size_bytes", device.size_bytes);
  if (row != nullptr) {
    w.field("iops", row->iops);
    w.field("bytes_per_s", row->bytes_per_s);
    w.field("lat_ns_mean", row->mean_ns);
    w.field("lat_ns_min", row->min_ns);
    w.field("lat_ns_max", row->max_ns);
  }
  w.end_object();
}

void write_devices(JsonWriter& w, const result::Job& job) {
  const auto rows = device_rows(job);
  w.begin_array("devices");
  for (const auto& device : job.queue->devices) {
    const DeviceRow* own = nullptr;
    for (const auto& row : rows)
      if (row.name == device.name) own = &row;
    write_device(w, device, own);
  }
  w.end_array();
}

}  // namespace

void write_queue(JsonWriter& w, const result::Job& job) {
  const auto& queue = *job.queue;
  const auto rates = queue_rates(queue);
  w.begin_object("queue");
  w.field("queue_pairs", queue.queue_pairs);
  w.field("commands", queue.commands);
  w.field("completions", queue.completions);
  w.field("sq_doorbells", queue.sq_doorbells);
  w.field("cq_doorbells", queue.cq_doorbells);
  w.field("polls", queue.polls);
  w.field("idle_polls", queue.idle_polls);
  w.field("waited", queue.waited);
  w.field("split", queue.split);
  w.field("strange", queue.strange);
  w.field("timeouts", queue.timeouts);
  w.field("aborted", queue.aborted);
  w.field("idle_ns", queue.idle_ns);
  w.field("busy_ns", queue.busy_ns);
  w.field("ticks_per_ns", queue.ticks_per_ns);
  w.field("sq_copy", queue.sq_copy);
  w.field("doorbell_cost_ns", queue.doorbell_cost_ns);
  w.field("idle_percent", rates.idle_percent);
  w.field("ios_per_sq_doorbell", rates.ios_per_sq_doorbell);
  w.field("ios_per_cq_doorbell", rates.ios_per_cq_doorbell);
  w.field("completions_per_poll", rates.completions_per_poll);
  w.field("busy_ns_per_io", rates.busy_ns_per_io);
  w.field("busy_ticks_per_io", rates.busy_ticks_per_io);
  w.field("budget_cycles_per_io", kBudgetCycles);
  w.field("device_bound", rates.device_bound);
  write_devices(w, job);
  w.end_object();
}

}  // namespace fathom::report

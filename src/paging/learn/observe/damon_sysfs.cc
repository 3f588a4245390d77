// See damon_sysfs.h. The kernel requires an order: the number of objects is written before the objects have files, and
// all of it before "on".
#include "paging/learn/observe/damon_sysfs.h"

#include <unistd.h>

#include <cstdlib>

#include "host/proc/text_file.h"

namespace fathom::paging::learn::observe {
namespace {

constexpr char kMost[] = "18446744073709551615";

std::string kdamond(const std::string& folder, const std::string& number) { return folder + "/kdamonds/" + number; }

std::optional<std::string> user_of(const std::string& folder) {
  for (const std::string& number : host::proc::list_names(folder + "/kdamonds")) {
    const std::string one = kdamond(folder, number);
    const std::string contexts = host::proc::read_line(one + "/contexts/nr_contexts");
    if (contexts.empty()) continue;
    if (host::proc::read_line(one + "/state") == "on")
      return "DAMON is already in use: kdamond." + number + " is running (kernel thread " +
             host::proc::read_line(one + "/pid") + ")";
    if (contexts != "0") return "DAMON is already set up: " + one + " has a context";
  }
  return {};
}

}  // namespace

std::optional<std::string> Damon::cause_against(const std::string& operations) const {
  const std::string now = host::proc::read_line(folder_ + "/kdamonds/nr_kdamonds");
  if (now.empty()) return "no " + folder_ + " (kernel without DAMON_SYSFS, or not root)";
  if (auto user = user_of(folder_)) return user;
  if (access((folder_ + "/kdamonds/nr_kdamonds").c_str(), W_OK) != 0) return "no permission to write to " + folder_;
  // The kernel lists its operations only inside a context, so this looks for their symbols. vaddr and fvaddr come
  // together, paddr is separate. If the guess is wrong, start() fails.
  const char* symbol = operations == "paddr" ? "damon_pa_" : "damon_va_";
  const std::string symbols = host::proc::read_text(symbols_);
  if (!symbols.empty() && symbols.find(symbol) == std::string::npos)
    return "the kernel's DAMON does not have the operations " + operations;
  return {};
}

base::Expected<void> Damon::write(const std::string& file, const std::string& value) const {
  return write_damon(kdamond_folder(folder_) + "/" + file, value);
}

bool Damon::is_on() const { return host::proc::read_line(kdamond_folder(folder_) + "/state") == "on"; }

base::Expected<void> Damon::write_regions(const DamonPlan& plan) const {
  const std::string regions = "contexts/0/targets/0/regions/";
  if (auto good = write(regions + "nr_regions", std::to_string(plan.pages.size())); !good) return good;
  for (std::size_t i = 0; i < plan.pages.size(); ++i) {
    const std::string one = regions + std::to_string(i);
    if (auto good = write(one + "/start", std::to_string(plan.pages[i])); !good) return good;
    if (auto good = write(one + "/end", std::to_string(plan.pages[i] + 4096)); !good) return good;
  }
  return {};
}

base::Expected<void> Damon::write_plan(const DamonPlan& plan) const {
  const std::string context = "contexts/0/", scheme = "contexts/0/schemes/0/";
  const std::string pages = std::to_string(plan.pages.size());
  struct Row {
    std::string file, value;
  };
  std::vector<Row> rows = {
      {"contexts/nr_contexts", "1"},
      {context + "operations", plan.operations},
      {context + "monitoring_attrs/intervals/update_us", std::to_string(taken_->mark)},
      {context + "monitoring_attrs/intervals/sample_us", std::to_string(plan.sample_us)},
      {context + "monitoring_attrs/intervals/aggr_us", std::to_string(plan.sample_us * plan.samples)},
      // The minimum equals the number of pages, so none are merged. The maximum does too, so none are split.
      {context + "monitoring_attrs/nr_regions/max", pages},
      {context + "monitoring_attrs/nr_regions/min", pages},
      {context + "targets/nr_targets", "1"},
      {context + "schemes/nr_schemes", "1"},
      {scheme + "action", "stat"},
  };
  for (const char* measure : {"sz", "nr_accesses", "age"}) {
    rows.push_back({scheme + "access_pattern/" + measure + "/max", kMost});
    rows.push_back({scheme + "access_pattern/" + measure + "/min", "0"});
  }
  if (plan.operations != "paddr") rows.push_back({context + "targets/0/pid_target", std::to_string(plan.pid)});
  for (const Row& row : rows)
    if (auto good = write(row.file, row.value); !good) return good;
  return write_regions(plan);
}

base::Expected<void> Damon::start(const DamonPlan& plan) {
  if (auto cause = taken_ ? cause_not_ours(folder_, *taken_) : cause_against(plan.operations)) {
    base::Error error;
    error.kind = base::ErrorKind::refused;
    error.what = "DAMON cannot be used";
    error.cause = *cause;
    return error;
  }
  if (!taken_)
    taken_ = DamonNote{own_run(), host::proc::read_line(folder_ + "/kdamonds/nr_kdamonds"), {}, 0, new_mark(), 0};
  if (is_on())
    if (auto good = write("state", "off"); !good) return good;
  taken_->operations = plan.operations;
  taken_->target = plan.operations == "paddr" ? 0 : plan.pid;
  taken_->kdamond = 0;
  if (auto good = save_note(note_, *taken_); !good) return good;
  if (auto good = write_damon(folder_ + "/kdamonds/nr_kdamonds", "1"); !good) return good;
  if (auto good = write_plan(plan); !good) return good;
  regions_ = plan.pages.size();
  if (auto good = write("state", "on"); !good) return good;
  taken_->kdamond = std::atoi(host::proc::read_line(kdamond_folder(folder_) + "/pid").c_str());
  return save_note(note_, *taken_);
}

base::Expected<void> Damon::pass() { return write("state", "update_schemes_tried_regions"); }

std::vector<std::uint16_t> Damon::read_counts() const {
  std::vector<std::uint16_t> out;
  out.reserve(regions_);
  const std::string tried = kdamond_folder(folder_) + "/contexts/0/schemes/0/tried_regions/";
  for (std::size_t i = 0; i < regions_; ++i) {
    const std::string count = host::proc::read_line(tried + std::to_string(i) + "/nr_accesses");
    if (count.empty()) break;
    out.push_back(static_cast<std::uint16_t>(std::strtoul(count.c_str(), nullptr, 10)));
  }
  return out;
}

// If the aggregation takes twice as long as planned, the kernel drops the request without data. Then this tries again.
base::Expected<std::vector<std::uint16_t>> Damon::counts() {
  constexpr int kTries = 4;
  std::vector<std::uint16_t> out;
  for (int i = 0; i < kTries && out.empty(); ++i) {
    if (auto good = pass(); !good) return good.error();
    out = read_counts();
    (void)write("state", "clear_schemes_tried_regions");
  }
  if (out.size() == regions_) return out;
  base::Error error;
  error.kind = base::ErrorKind::io;
  error.what = "DAMON reported " + std::to_string(out.size()) + " of " + std::to_string(regions_) + " pages";
  return error;
}

void Damon::restore() {
  if (!taken_) return;
  if (!cause_not_ours(folder_, *taken_)) (void)take_down(folder_, *taken_);
  unlink(note_.c_str());
  taken_.reset();
}

int left_damon(const std::string& note_path) {
  const auto note = parse_note(host::proc::read_text(note_path));
  return note && !lives(note->owner) ? note->owner.pid : 0;
}

DamonLeft undo_left_damon(const std::string& folder, const std::string& note_path) {
  using Outcome = DamonLeft::Outcome;
  const std::string text = host::proc::read_text(note_path);
  if (text.empty()) return {};
  const auto note = parse_note(text);
  if (note && lives(note->owner)) return {};
  const std::string who = note ? "a `learn` (process " + std::to_string(note->owner.pid) + ")" : "a `learn`";
  const auto user = user_of(folder);
  // It was killed before it set anything up: it left an empty kdamond, which no user of DAMON leaves.
  const bool empty = note && !user && host::proc::read_line(folder + "/kdamonds/nr_kdamonds") == "1";
  auto cause = note ? cause_not_ours(folder, *note) : "its note " + note_path + " is damaged";
  if (cause && !empty) {
    unlink(note_path.c_str());
    if (!user) return {};
    return {Outcome::left_alone,
            who + " was killed; the state of DAMON is not the one it set up (" + *cause + ") and is left alone"};
  }
  if (auto good = take_down(folder, *note); !good)
    return {Outcome::failed, who + " was killed and left DAMON on; DAMON cannot be restored: " + good.error().what +
                                 (good.error().cause.empty() ? "" : ": " + good.error().cause)};
  unlink(note_path.c_str());
  return {Outcome::restored, who + " was killed and left DAMON on: DAMON is off again"};
}

}  // namespace fathom::paging::learn::observe

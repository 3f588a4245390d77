// Merges traces by time.
#include "trace/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "trace/ledger.h"

namespace fathom::trace {
namespace {

constexpr double kMost_ns = 1.8e19;  // just below 2^64

// One trace, with its time scaled, over all its iterations.
struct Side {
  MergeInput input;
  std::unique_ptr<Reader> reader;
  std::vector<std::uint32_t> files;  // index in the merged table, by index of the reader
  std::uint64_t iteration = 0, shift_ns = 0, last_ns = 0, times_back = 0;
  std::vector<Skipped> skipped;  // of iterations that have ended
  std::vector<std::string> notes;
  Event event;
  bool has_event = false;

  std::uint64_t scaled(std::uint64_t time_ns) const {
    if (input.time_percent == 100) return time_ns;
    const double scaled_ns = static_cast<double>(time_ns) * input.time_percent / 100;
    return scaled_ns < kMost_ns ? static_cast<std::uint64_t>(scaled_ns) : kNotKnown - 1;
  }
  base::Expected<void> advance();
  void end_iteration();
};

void add_skipped(std::vector<Skipped>& all, const std::vector<Skipped>& more) {
  for (const auto& row : more) {
    auto same = std::find_if(all.begin(), all.end(), [&](const Skipped& s) { return s.reason == row.reason; });
    if (same == all.end())
      all.push_back(row);
    else
      same->records += row.records;
  }
}

void Side::end_iteration() {
  add_skipped(skipped, reader->skipped());
  times_back += reader->times_back();
  notes = reader->notes();
  shift_ns = last_ns;
  reader.reset();
}

base::Expected<void> Side::advance() {
  has_event = false;
  while (!has_event) {
    if (!reader) {
      if (iteration == input.iterations) return {};
      auto opened = input.open();
      if (!opened) return std::move(opened.error());
      reader = std::move(*opened);
      files.clear();
      ++iteration;
    }
    auto more = reader->next(event);
    if (!more) return std::move(more.error());
    if (!*more) {
      end_iteration();
      continue;
    }
    const auto time_ns = scaled(event.time_ns);
    event.time_ns = time_ns > ~shift_ns ? kNotKnown - 1 : shift_ns + time_ns;
    last_ns = std::max(last_ns, event.time_ns);
    has_event = true;
  }
  return {};
}

class Merged final : public Reader {
 public:
  explicit Merged(std::vector<Side> sides) : sides_(std::move(sides)) {}
  base::Expected<void> begin();
  base::Expected<bool> next(Event& event) override;
  const Traits& traits() const override { return traits_; }
  const std::vector<std::string>& files() const override { return ledger_.files(); }
  const std::vector<Skipped>& skipped() const override;
  std::uint64_t times_back() const override;
  std::vector<std::string> notes() const override;

 private:
  bool set_file(Side& side, Event& event);

  std::vector<Side> sides_;
  Ledger ledger_{"event"};
  Traits traits_{.format = "merged", .has_responses = true, .names_files = true};
  std::uint64_t events_ = 0;
  mutable std::vector<Skipped> skipped_;
};

base::Expected<void> Merged::begin() {
  for (auto& side : sides_) {
    if (auto ok = side.advance(); !ok) return ok;
    if (!side.reader) continue;
    const auto& of_side = side.reader->traits();
    traits_.has_times = traits_.has_times && of_side.has_times;
    traits_.has_responses = traits_.has_responses && of_side.has_responses;
    traits_.names_files = traits_.names_files && of_side.names_files;
    traits_.time_unit_ns = std::max(traits_.time_unit_ns, of_side.time_unit_ns);
  }
  return {};
}

bool Merged::set_file(Side& side, Event& event) {
  const auto& names = side.reader->files();
  while (side.files.size() < names.size())
    side.files.push_back(ledger_.file(names[side.files.size()]).value_or(kMostFiles));
  event.file = side.files[event.file];
  if (event.file != kMostFiles) return true;
  return ledger_.skip(kTooManyFiles, events_), false;
}

base::Expected<bool> Merged::next(Event& event) {
  for (;;) {
    Side* first = nullptr;
    for (auto& side : sides_)
      if (side.has_event && (first == nullptr || side.event.time_ns < first->event.time_ns)) first = &side;
    if (first == nullptr) return false;
    event = first->event;
    ++events_;
    const bool fits = set_file(*first, event);
    if (auto ok = first->advance(); !ok) return std::move(ok.error());
    if (fits) return true;
  }
}

const std::vector<Skipped>& Merged::skipped() const {
  skipped_ = ledger_.skipped();
  for (const auto& side : sides_) {
    add_skipped(skipped_, side.skipped);
    if (side.reader) add_skipped(skipped_, side.reader->skipped());
  }
  return skipped_;
}

std::uint64_t Merged::times_back() const {
  std::uint64_t all = 0;
  for (const auto& side : sides_) all += side.times_back + (side.reader ? side.reader->times_back() : 0);
  return all;
}

std::vector<std::string> Merged::notes() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < sides_.size(); ++i)
    for (const auto& note : sides_[i].reader ? sides_[i].reader->notes() : sides_[i].notes)
      all.push_back(fmt::format("trace {}: {}", i + 1, note));
  return all;
}

}  // namespace

base::Expected<std::unique_ptr<Reader>> merged(std::vector<MergeInput> inputs) {
  std::vector<Side> sides;
  for (auto& input : inputs) {
    if (!std::isfinite(input.time_percent) || input.time_percent < 0)
      return base::Error{.what = fmt::format("a trace scaled to {} % of its time", input.time_percent),
                         .help = "give a percentage of 0 or more"};
    sides.push_back(Side{.input = std::move(input)});
  }
  auto reader = std::make_unique<Merged>(std::move(sides));
  if (auto ok = reader->begin(); !ok) return std::move(ok.error());
  return std::unique_ptr<Reader>(std::move(reader));
}

}  // namespace fathom::trace

// The engine class of all shared objects. The loop's batch is handed over as it is: its structs are those of the C
// interface. So a batch costs one call of this class and one of the shared object.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "engine/plugin/plugin.h"
#include "io/plugin_options.h"

namespace fathom::engine::plugin {
namespace {

static_assert(sizeof(fathom_request) == sizeof(io::Request) && sizeof(fathom_post) == sizeof(Posted) &&
              sizeof(fathom_completion) == sizeof(io::Completion));
static_assert(offsetof(fathom_request, offset_bytes) == offsetof(io::Request, offset) &&
              offsetof(fathom_request, length_bytes) == offsetof(io::Request, length) &&
              offsetof(fathom_request, target) == offsetof(io::Request, target) &&
              offsetof(fathom_request, dir) == offsetof(io::Request, dir) &&
              offsetof(fathom_request, flags) == offsetof(io::Request, flags));
static_assert(offsetof(fathom_post, request) == offsetof(Posted, request) &&
              offsetof(fathom_post, buffer) == offsetof(Posted, buffer) &&
              offsetof(fathom_post, slot) == offsetof(Posted, slot) &&
              offsetof(fathom_completion, slot) == offsetof(io::Completion, slot) &&
              offsetof(fathom_completion, result) == offsetof(io::Completion, result));
static_assert(FATHOM_READ == static_cast<int>(io::Dir::read) && FATHOM_WRITE == static_cast<int>(io::Dir::write) &&
              FATHOM_TRIM == static_cast<int>(io::Dir::trim) && FATHOM_SYNC == static_cast<int>(io::Dir::sync) &&
              FATHOM_DURABLE == static_cast<int>(io::kDataSync));
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

std::vector<const char*> names_of(std::span<const io::Target> targets) {
  std::vector<const char*> names;
  for (const auto& target : targets) names.push_back(target.path.c_str());
  return names;
}

std::uint32_t wants(const Setup& setup) {
  std::uint32_t all = 0;
  if (setup.job.writes) all |= FATHOM_CAN_WRITE;
  if (setup.job.trims) all |= FATHOM_CAN_TRIM;
  if (setup.options.sync_writes) all |= FATHOM_CAN_DURABLE;
  return all;
}

class PluginEngine final : public BatchEngine {
 public:
  explicit PluginEngine(const PluginRow& row) : row_(row) {}
  ~PluginEngine() override { close(); }

  base::Expected<void> open(const Setup& setup) override {
    const auto loaded = load(row_, setup.options);
    if (!loaded) return loaded.error();
    api_ = *loaded;
    Asked asked(setup.options, names_of(setup.targets));
    asked.open.wants = wants(setup);
    asked.open.depth = setup.depth;
    asked.open.buffers = setup.buffers;
    asked.open.buffer_stride_bytes = setup.buffer_stride;
    asked.open.stop = reinterpret_cast<const std::uint32_t*>(setup.job.stop);
    fathom_error error = {};
    queue_ = api_->open(&asked.open, &error);
    if (queue_ == nullptr) return refused(row_, "open", setup.targets.empty() ? "" : setup.targets[0].path, error);
    targets_ = setup.targets.size();
    rest_ = std::make_unique<Posted[]>(setup.depth);
    rest_count_ = 0;
    return {};
  }

  int submit(std::span<const Posted> batch, unsigned wait_for) override {
    if (rest_count_ != 0) [[unlikely]]
      return submit_rest(batch, wait_for);
    const int taken = hand_over(batch, wait_for);
    if (taken != static_cast<int>(batch.size())) [[unlikely]]
      keep(batch, taken);
    return taken;
  }

  int reap(unsigned min, std::span<io::Completion> out) override {
    return api_->reap(queue_, min, reinterpret_cast<fathom_completion*>(out.data()),
                      static_cast<std::uint32_t>(out.size()));
  }

  void close() override {
    if (queue_ != nullptr) api_->close(std::exchange(queue_, nullptr));
  }

  std::string explain(std::uint32_t slot) const override {
    char text[128] = {};
    if (api_->explain != nullptr) api_->explain(queue_, slot, text, sizeof text);
    text[sizeof text - 1] = 0;
    return text;
  }

  int sync_targets() override {
    int err = 0;
    for (std::size_t i = 0; i < targets_; ++i)
      if (const int rc = sync_one(static_cast<std::uint16_t>(i)); err == 0) err = -rc;
    return err;
  }

 private:
  int hand_over(std::span<const Posted> batch, unsigned wait_for) {
    return api_->submit(queue_, reinterpret_cast<const fathom_post*>(batch.data()),
                        static_cast<std::uint32_t>(batch.size()), wait_for);
  }

  // Keeps what was not taken. Any errno but EAGAIN drops the batch, as engine.h requires.
  void keep(std::span<const Posted> batch, int taken) {
    rest_count_ = 0;
    if (taken < 0 && taken != -EAGAIN) return;
    const auto from = static_cast<std::size_t>(std::max(taken, 0));
    for (std::size_t i = from; i < batch.size(); ++i) rest_[rest_count_++] = batch[i];
  }

  int submit_rest(std::span<const Posted> batch, unsigned wait_for) {
    std::copy(batch.begin(), batch.end(), rest_.get() + rest_count_);
    const std::span<const Posted> all(rest_.get(), rest_count_ + batch.size());
    const int taken = hand_over(all, wait_for);
    keep(all, taken);  // moves to the front
    return taken;
  }

  int sync_one(std::uint16_t target) {
    const io::Request request{.target = target, .dir = io::Dir::sync};
    const Posted posted{&request, nullptr, 0};
    io::Completion done;
    int rc;
    do rc = hand_over({&posted, 1}, 1);
    while (rc == 0);
    if (rc < 0) return rc;
    do rc = reap(1, {&done, 1});
    while (rc == 0 || rc == -EAGAIN);
    return rc < 0 ? rc : done.result;
  }

  const PluginRow& row_;
  const fathom_engine* api_ = nullptr;
  fathom_queue* queue_ = nullptr;
  std::size_t targets_ = 0;
  std::unique_ptr<Posted[]> rest_;  // posted, and not taken yet
  std::size_t rest_count_ = 0;
};

}  // namespace

Asked::Asked(const io::EngineOptions& options, std::vector<const char*> targets) : targets_(std::move(targets)) {
  for (const auto& [name, value] : options.of<io::PluginOptions>().passed)
    options_.push_back({name.c_str(), value.c_str()});
  open.targets = targets_.data();
  open.target_count = static_cast<std::uint32_t>(targets_.size());
  open.options = options_.data();
  open.option_count = static_cast<std::uint32_t>(options_.size());
}

std::unique_ptr<BatchEngine> make_engine(const PluginRow& row) { return std::make_unique<PluginEngine>(row); }

std::string target_of(const io::EngineOptions& options) { return options.of<io::PluginOptions>().target; }

std::string directory_of(const io::EngineOptions& options) { return options.of<io::PluginOptions>().directory; }

// filename= is divided at colons, which a URL has too.
base::Expected<std::vector<std::string>> split_names(std::string_view joined) {
  constexpr std::string_view kScheme = "://";
  std::vector<std::string> names;
  for (std::size_t end; !joined.empty(); joined.remove_prefix(std::min(end + 1, joined.size()))) {
    const bool is_url = joined.substr(0, joined.find(':') + kScheme.size()).ends_with(kScheme);
    end = joined.find(':');
    if (is_url) {
      const auto next = joined.find(kScheme, end + 1);
      end = next == std::string_view::npos ? next : joined.rfind(':', next - 1);
    }
    end = std::min(end, joined.size());
    names.emplace_back(joined.substr(0, end));
  }
  return names;
}

base::Expected<TargetFacts> look_at(const PluginRow& row, const std::string& name, const io::EngineOptions& options) {
  constexpr std::uint32_t kBufferAlignment_bytes = 4096;
  const auto loaded = load(row, options);
  if (!loaded) return loaded.error();
  const Asked asked(options, {name.c_str()});
  fathom_facts found = {};
  fathom_error error = {};
  if (const int rc = (*loaded)->look_at(&asked.open, &found, &error); rc != 0) {
    if (error.number == 0 && error.cause[0] == 0) error.number = -rc;
    return refused(row, "look at", name, error);
  }
  if (found.alignment_bytes > kBufferAlignment_bytes)
    return base::Error{
        .what = fmt::format("ioengine={} needs buffers aligned to {} bytes", row.name, found.alignment_bytes),
        .cause = fmt::format("buffers are aligned to {} bytes", kBufferAlignment_bytes),
        .help = "use another engine",
        .place = std::nullopt};
  const auto can = [&](std::uint32_t what) { return (found.can & what) != 0; };
  TargetFacts facts;
  facts.size_bytes = found.size_bytes;
  facts.block_bytes = std::max(found.block_bytes, 1u);
  facts.harmless = can(FATHOM_HARMLESS);
  facts.keeps_data = can(FATHOM_KEEPS_DATA);
  facts.is_file = can(FATHOM_IS_FILE);
  facts.exists = !can(FATHOM_IS_MISSING);
  facts.abilities = {.writes = can(FATHOM_CAN_WRITE),
                     .trims = can(FATHOM_CAN_TRIM),
                     .syncs = can(FATHOM_CAN_SYNC),
                     .durable_writes = can(FATHOM_CAN_DURABLE),
                     .syncs_ranges = false,
                     .largest_bytes = found.largest_bytes,
                     .preferred_bytes = found.preferred_bytes,
                     .most_in_flight = found.most_in_flight,
                     .most_queues = found.most_queues};
  found.about[sizeof found.about - 1] = 0;
  facts.about = found.about;
  if (can(FATHOM_COPIES)) facts.about += facts.about.empty() ? "copies the data" : ", copies the data";
  return facts;
}

}  // namespace fathom::engine::plugin

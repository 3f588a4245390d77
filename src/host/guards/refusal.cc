// The guard's decision and its message. The message shows at a glance whether it is the wrong disk. So model and size
// come first, and everything found is named.
#include <fmt/format.h>

#include <string_view>

#include "base/text/unit_text.h"
#include "host/guards/guard.h"

namespace fathom::host::guards {
namespace {

std::string list(const std::vector<std::string>& items) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < items.size() && i < kShown; ++i) text += (i ? ", " : "") + items[i];
  if (items.size() > kShown) text += fmt::format(" and {} more", items.size() - kShown);
  return text;
}

std::string title(const DeviceUse& use) {
  const std::string model = use.model.empty() ? "" : use.model + ", ";
  return fmt::format("{} ({}{})", use.device, model,
                     base::text::unit_text(static_cast<double>(use.size_bytes), base::text::kBytesOne));
}

struct Thing {
  bool found;
  std::string text;
};

// Everything found that `lifted` does not permit.
std::string things(const DeviceUse& use, const Permission& lifted) {
  const std::string label = use.label.empty() ? "" : fmt::format(" (label \"{}\")", use.label);
  const std::string who = use.openers.empty() ? "" : ", open in " + list(use.openers);
  const Thing rows[] = {
      {!lifted.mounted && !use.mounts.empty(), "mounted on " + list(use.mounts)},
      {!lifted.swap && use.swap, "in use as swap"},
      {!lifted.named && !use.holders.empty(), "held by " + list(use.holders)},
      {!lifted.named && !use.loops.empty(), "in use by a loop device: " + list(use.loops)},
      {!lifted.named && !use.partition_table.empty(), use.partition_table + " partition table"},
      {!lifted.named && !use.content.empty(), "carries " + use.content + label},
      {!lifted.named && !use.partitions.empty(), "contains partitions: " + list(use.partitions)},
      {!lifted.named && !use.writers.empty(), "open for writing in " + list(use.writers)},
      {!lifted.named && use.busy, "held exclusively by another program or mount namespace" + who},
  };
  std::string text;
  for (const Thing& row : rows) {
    if (row.found) text += (text.empty() ? "" : "; ") + row.text;
  }
  return text;
}

// Only the name if the content is the only obstacle, plus one word for each use that must be allowed.
std::string allow_word(const DeviceUse& use, const Permission& permission) {
  const bool mounted = !use.mounts.empty() && !permission.mounted, swap = use.swap && !permission.swap;
  return use.device + (mounted ? ":mounted" : "") + (swap ? ":swap" : "");
}

}  // namespace

std::string describe(const DeviceUse& use) {
  const std::string found = things(use, {});
  return title(use) + ": " + (found.empty() ? "nothing found on it" : found);
}

base::Expected<void> judge_use(const DeviceUse& use) {
  if (!use.used_now()) return {};
  DeviceUse user = use;
  user.partition_table.clear();
  user.content.clear();
  user.partitions.clear();
  base::Error error;
  error.kind = base::ErrorKind::refused;
  error.what = "refused: " + title(use) + " is in use";
  error.cause = things(user, {});
  error.help = "end that use first, or name another device; a permission to destroy its data does not override this";
  return error;
}

base::Expected<void> judge(const DeviceUse& use, const Permission& permission) {
  const std::string found = things(use, permission);
  if (found.empty()) return {};
  const std::string word = allow_word(use, permission);
  base::Error error;
  error.kind = base::ErrorKind::refused;
  error.what = "refused to write to " + title(use);
  error.cause = found;
  error.help = fmt::format("add --allow-destructive={0} (or FATHOM_ALLOW_DESTRUCTIVE={0}) to destroy its data{1}", word,
                           word == use.device ? "" : " although the device is in use");
  return error;
}

}  // namespace fathom::host::guards

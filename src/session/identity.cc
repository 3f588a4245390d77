// The id is the kernel's random UUID (RFC 9562, version 4).
#include "session/identity.h"

#include <ctime>
#include <fstream>
#include <optional>
#include <string>

#include "result/measured.h"

namespace fathom::session {
namespace {

std::string random_uuid() {
  std::ifstream file("/proc/sys/kernel/random/uuid");
  std::string id;
  std::getline(file, id);
  return id;
}

}  // namespace

std::optional<int> utc_offset_s(std::uint64_t epoch_ms) {
  const auto seconds = static_cast<std::time_t>(epoch_ms / 1000);
  std::tm local{};
  if (localtime_r(&seconds, &local) == nullptr) return std::nullopt;
  return static_cast<int>(local.tm_gmtoff);
}

void identify(result::Run& run) {
  run.run_id = random_uuid();
  run.utc_offset_s = utc_offset_s(result::reported_epoch_ms(run));
}

}  // namespace fathom::session

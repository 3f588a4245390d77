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

base::Expected<void> check_schema(int schema) {
  if (schema == 0 || (schema >= result::kOldestWritten && schema <= result::kSchemaVersion)) return {};
  base::Error e;
  e.what = "--schema=" + std::to_string(schema) + ": not a schema that is written";
  e.help = "write " + std::to_string(result::kOldestWritten) + " to " + std::to_string(result::kSchemaVersion) +
           ", or leave it out";
  return e;
}

void identify(result::Run& run, int schema) {
  run.run_id = random_uuid();
  run.utc_offset_s = utc_offset_s(result::reported_epoch_ms(run));
  if (schema != 0) run.schema_version = schema;
}

}  // namespace fathom::session

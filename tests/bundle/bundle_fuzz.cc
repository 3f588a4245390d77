// libFuzzer: any bytes as a bundle. Nothing may be unpacked beyond the limits, and what passed has to be found the same
// again. The first byte chooses whether a key is given.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "bundle/check.h"
#include "bundle/member_name.h"
#include "bundle/reach.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fathom::bundle;
  if (size < 1) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::optional<Key> key;
  if (data[0] % 2 == 1)
    key =
        Key{"-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
            "-----END PUBLIC KEY-----\n",
            "pub.pem"};
  const auto opened = open_bundle(bytes, "b.zip", key);
  if (!opened) {
    if (opened.error().what.empty()) std::abort();
    return 0;
  }
  std::uint64_t total = 0;
  for (const auto& entry : opened->archive.entries()) {
    if (!refusal_of(entry.name).empty()) std::abort();
    (void)opened->archive.unpack(entry.name, [&](std::string_view part) { total += part.size(); });
  }
  if (total > kMostUnpacked_bytes) std::abort();
  const auto job = content_of(opened->archive, kJob, std::size_t{1} << 20);
  if (job) (void)reach_of(*job);
  const auto again = open_bundle(bytes, "b.zip", key);
  if (!again || again->check.passed() != opened->check.passed()) std::abort();
  return 0;
}

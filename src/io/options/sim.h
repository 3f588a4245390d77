// Options of ioengine=sim: the latency of every I/O on a simulated clock (docs/reference/metrics.md).
#pragma once
#include "io/option_table.h"

namespace fathom::io {

struct SimOptions : OfEngine {
  // "const:100us", "uniform:10us:20us", "exp:100us", "normal:100us:10us", "two:100us:10ms:1%" (second value in 1 % of
  // the I/Os)
  std::string latency = "const:100us";
  std::uint64_t seed = 1;
  std::uint64_t fail_every = 0;  // every Nth I/O ends with EIO; 0: none
  std::uint64_t servers = 0;     // I/Os processed at a time, the others wait in order; 0: all
};

inline constexpr Row kSimRows[] = {
    text<&SimOptions::latency>({"sim_latency", "const:100us",
                                "Latency of each I/O: const:t, uniform:t:t, exp:t, normal:t:dev, "
                                "two:t:t:share%",
                                "", kOwn}),
    count<&SimOptions::seed>({"sim_seed", "1", "Seed of the latencies", "", kOwn}, 0, kMaxU64),
    count<&SimOptions::fail_every>({"sim_fail_every", "0", "Every Nth I/O ends with EIO; 0: none", "", kOwn}, 0,
                                   kMaxU64),
    count<&SimOptions::servers>({"sim_servers", "0",
                                 "I/Os processed at a time, the others wait in order; 0: all. 1 with "
                                 "sim_latency=exp and rate_process=poisson: M/M/1",
                                 "", kOwn},
                                0, 65536),
};
inline std::pair<std::string, std::string> reseed_sim(EngineOptions& options, std::uint64_t number) {
  auto& seed = options.own.get<SimOptions>().seed;
  seed += number;
  return {"sim_seed", std::to_string(seed)};
}
inline constexpr OptionTable kSimOptions{"sim", kSimRows, "Options of engines", nullptr, reseed_sim};

}  // namespace fathom::io

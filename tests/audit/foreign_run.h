// What the audit of a made-up run says of others.
#pragma once
#include "audit/run_findings.h"
#include "audited_run.h"

namespace fathom::audit {

inline std::vector<result::Finding> findings_of(Audited& a) {
  a.run.audit = a.audit();
  std::vector<result::Finding> found;
  for (const auto& f : run_findings(a.run))
    if (f.id.starts_with("audit.")) found.push_back(f);
  return found;
}

inline std::vector<std::string> ids_of(Audited& a) {
  std::vector<std::string> ids;
  for (const auto& f : findings_of(a)) ids.push_back(f.id);
  return ids;
}

inline const result::ForeignIo* foreign(const result::Audit& audit, const std::string& direction) {
  for (const auto& io : audit.foreign)
    if (io.direction == direction) return &io;
  return nullptr;
}

// 100 MiB of direct reads of a file on vda in 2 s, and nothing else.
inline Audited reader() {
  auto a = audited();
  a.job().dirs[1] = {};
  a.job().process_io.write_bytes = 0;
  a.set("block", "vda", "write_sectors", 0);
  a.count("block", "vda", "read_sectors").window_s = 2;
  return a;
}

inline void neighbour(Audited& a, const char* who, const char* way, double bytes) {
  a.set("others", "all", std::string(way) + "_bytes", bytes);
  a.set("others", who, std::string(way) + "_bytes", bytes);
}

}  // namespace fathom::audit

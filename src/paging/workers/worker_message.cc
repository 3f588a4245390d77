// The members in order (base/packed.h).
#include "paging/workers/worker_message.h"

#include "base/packed.h"

namespace fathom::paging::workers {

std::string encode(const result::Finding& finding) {
  base::Packer out;
  out.text(finding.id);
  out.number(static_cast<std::int64_t>(finding.severity));
  for (const auto* text : {&finding.job, &finding.evidence, &finding.remedy}) out.text(*text);
  return out.take();
}

std::optional<result::Finding> decode(std::string_view bytes) {
  base::Unpacker in(bytes);
  result::Finding f;
  f.id = in.text();
  f.severity = static_cast<result::Severity>(in.number());
  for (auto* text : {&f.job, &f.evidence, &f.remedy}) *text = in.text();
  if (in.torn()) return std::nullopt;
  return f;
}

}  // namespace fathom::paging::workers

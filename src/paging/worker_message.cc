// Kind, then the parts in order (base/packed.h).
#include "paging/worker_message.h"

#include "base/packed.h"

namespace fathom::paging {
namespace {

enum class Kind : std::int64_t { finding, error };

result::Finding finding_of(base::Unpacker& in) {
  result::Finding f;
  f.id = in.text();
  f.severity = static_cast<result::Severity>(in.number());
  for (auto* text : {&f.job, &f.evidence, &f.remedy}) *text = in.text();
  return f;
}

}  // namespace

std::string encode(const result::Finding& finding) {
  base::Packer out;
  out.number(static_cast<std::int64_t>(Kind::finding));
  out.text(finding.id);
  out.number(static_cast<std::int64_t>(finding.severity));
  for (const auto* text : {&finding.job, &finding.evidence, &finding.remedy}) out.text(*text);
  return out.take();
}

std::string encode(const base::Error& error) {
  base::Packer out;
  out.number(static_cast<std::int64_t>(Kind::error));
  out.error(error);
  return out.take();
}

WorkerMessages decode(std::string_view bytes) {
  WorkerMessages messages;
  for (base::Unpacker in(bytes); !in.empty();) {
    if (static_cast<Kind>(in.number()) == Kind::finding) {
      auto finding = finding_of(in);
      if (!in.torn()) messages.findings.push_back(std::move(finding));
    } else {
      auto error = in.error();
      if (!in.torn() && !messages.error) messages.error = std::move(error);
    }
  }
  return messages;
}

}  // namespace fathom::paging

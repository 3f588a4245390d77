// One pass over the value. What a variable holds is not looked at again, so a value cannot expand without end.
#include "job/substitute.h"

namespace fathom::job {
namespace {

std::string keyword_value(std::string_view text, const Environment& env, std::size_t& length) {
  const struct {
    std::string_view name;
    std::uint64_t value;
  } keywords[] = {{"$pagesize", env.page_bytes}, {"$mb_memory", env.memory_mib}, {"$ncpus", env.ncpus}};
  for (const auto& k : keywords)
    if (text.substr(0, k.name.size()) == k.name) {
      length = k.name.size();
      return std::to_string(k.value);
    }
  return {};
}

}  // namespace

Substituted substitute(std::string_view value, const Environment& env) {
  Substituted out;
  for (std::size_t i = 0; i < value.size();) {
    std::size_t length = 0;
    const auto rest = value.substr(i);
    const std::size_t close = rest.substr(0, 2) == "${" ? rest.find('}') : std::string_view::npos;
    if (close != std::string_view::npos) {
      if (env.getenv) out.text += env.getenv(std::string(rest.substr(2, close - 2))).value_or("");
      i += close + 1;
    } else if (rest.front() == '$' && !keyword_value(rest, env, length).empty()) {
      out.text += keyword_value(rest, env, length);
      out.keyword = true;
      i += length;
    } else {
      out.text += rest.front();
      ++i;
    }
  }
  return out;
}

}  // namespace fathom::job

// fio's rules: a job continues after a kind of error if continue_on_error names it, or if ignore_error has a list for
// it. With a list, the errors of the list are not fatal. Without a list, EIO and EILSEQ are not fatal.
#include "job/fields/errors.h"

#include <algorithm>
#include <cerrno>

namespace fathom::job::fields {

bool Errors::asked() const {
  return goes_on != 0 || std::any_of(listed.begin(), listed.end(), [](const auto& list) { return !list.empty(); });
}

ErrorKind kind_of(io::Dir dir, int err) {
  if (err == EILSEQ) return ErrorKind::verify;
  return dir == io::Dir::read ? ErrorKind::read : ErrorKind::write;
}

bool goes_on_after(const Errors& errors, io::Dir dir, int err) {
  const auto kind = static_cast<std::size_t>(kind_of(dir, err));
  const auto& listed = errors.listed[kind];
  if (!listed.empty()) return std::find(listed.begin(), listed.end(), err) != listed.end();
  return (errors.goes_on >> kind & 1) != 0 && (err == EIO || err == EILSEQ);
}

}  // namespace fathom::job::fields

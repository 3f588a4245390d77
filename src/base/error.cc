// Turns an errno into an Error, and joins several Errors into one. The error kind distinguishes a missing permission
// from a failed device.
#include "base/error.h"

#include <cerrno>
#include <cstring>

namespace fathom::base {

Error system_error(std::string what, int err) {
  Error e;
  e.kind = (err == EPERM || err == EACCES) ? ErrorKind::privilege : ErrorKind::io;
  e.what = std::move(what) + ": " + strerror(err);
  e.sys_errno = err;
  return e;
}

Error joined(std::vector<Error> errors) {
  assert(!errors.empty());
  Error first = std::move(errors.front());
  for (std::size_t i = 1; i < errors.size(); ++i) {
    std::vector<Error> nested = std::move(errors[i].also);
    errors[i].also.clear();
    first.also.push_back(std::move(errors[i]));
    for (auto& error : nested) first.also.push_back(std::move(error));
  }
  return first;
}

}  // namespace fathom::base

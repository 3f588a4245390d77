// Errors as values. A library module neither prints nor exits: it returns an Error.
// cli/ shows every Error in one place (what, where, cause, help).
// An I/O failure during a run is data (result/result.h), and not an Error.
// Thread rule: plain data and pure functions; any thread.
#pragma once
#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace fathom::base {

// The origin of an error. It determines the exit status (cli/exit_codes.h).
enum class ErrorKind {
  usage,      // incorrect input of the user
  not_built,  // an existing fio option or engine, or NVMe feature, that fathom does not support
  refused,    // a destructive action on something in use
  privilege,  // missing permission or hardware
  io,         // a system call failed on a file or device
};

// A place in the user's text. line and column count from 1; 0: unknown.
struct SourcePlace {
  std::string file;  // file name, "<command line>" for options
  int line = 0;
  int column = 0;
  std::string line_text;  // the whole line, for the caret
  int length = 1;         // number of characters that the caret underlines
};

struct Error {
  ErrorKind kind = ErrorKind::usage;
  std::string what;   // "bs=4x: not a size"
  std::string cause;  // the reason; may be empty
  std::string help;   // what to write or do instead; may be empty
  std::optional<SourcePlace> place;
  int sys_errno = 0;             // errno of the failed call, 0: no failed call
  std::vector<Error> also = {};  // further errors in the same text, shown after this one
};

// A value or an Error (std::expected is C++23).
// value(), * and -> require ok(); error() requires !ok(). A debug build asserts this.
template <class T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : v_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Expected(Error error) : v_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  bool ok() const { return std::holds_alternative<T>(v_); }
  explicit operator bool() const { return ok(); }
  T& value() & {
    assert(ok());
    return *std::get_if<T>(&v_);
  }
  const T& value() const& {
    assert(ok());
    return *std::get_if<T>(&v_);
  }
  T&& value() && {
    assert(ok());
    return std::move(*std::get_if<T>(&v_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  Error& error() {
    assert(!ok());
    return *std::get_if<Error>(&v_);
  }
  const Error& error() const {
    assert(!ok());
    return *std::get_if<Error>(&v_);
  }

 private:
  std::variant<T, Error> v_;
};

template <>
class [[nodiscard]] Expected<void> {
 public:
  Expected() = default;
  Expected(Error error) : e_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  bool ok() const { return !e_.has_value(); }
  explicit operator bool() const { return ok(); }
  Error& error() {
    assert(!ok());
    return *e_;
  }
  const Error& error() const {
    assert(!ok());
    return *e_;
  }

 private:
  std::optional<Error> e_;
};

// The first error, with the others in `also`. `errors` must not be empty.
Error joined(std::vector<Error> errors);

// "open /x: Permission denied" from a failed system call. `err` is its errno.
// EPERM and EACCES become ErrorKind::privilege, any other errno ErrorKind::io.
Error system_error(std::string what, int err);

}  // namespace fathom::base

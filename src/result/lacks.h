// Keys by their paths in fathom's half, as Run::lacks has them: `host.devices[].disk`. What all directions of a job
// have is `jobs[].read/write/trim.clat`; what `every_job` has is that of `jobs[]`.
#pragma once
#include <string>
#include <string_view>

namespace fathom::result {

// The path of what is being walked, to which the members' names are appended.
class KeyPath {
 public:
  // While it lives the path is longer by an object's name, or by a list's.
  class Inside {
   public:
    Inside(KeyPath& path, std::string_view name, bool list) : path_(path), outer_(path.path_.size()) {
      const bool direction = !list && (name == "read" || name == "write" || name == "trim");
      path.path_ += direction ? std::string_view("read/write/trim") : name;
      path.path_ += list ? "[]." : ".";
    }
    ~Inside() { path_.path_.resize(outer_); }
    Inside(const Inside&) = delete;

   private:
    KeyPath& path_;
    std::size_t outer_;
  };

  std::string of(std::string_view key) const { return path_ + std::string(key); }

 private:
  std::string path_;
};

}  // namespace fathom::result

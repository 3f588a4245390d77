// A container with at most one object of each type. A struct can carry objects of types that its header does not
// include. Example: a job carries the options of an engine or of a feature. Only the files of that feature, and files
// that request the type, know it. The first write access creates an object. A read access to a missing object returns a
// default-constructed one. A lookup walks a list: use it for requests made once per run. Thread rule: any thread, one
// at a time.
#pragma once
#include <any>
#include <list>

namespace fathom::base {

class Bag {
 public:
  template <class T>
  T& get() {
    for (std::any& object : objects_)
      if (T* found = std::any_cast<T>(&object)) return *found;
    return objects_.emplace_back().emplace<T>();
  }
  template <class T>
  const T& get() const {
    for (const std::any& object : objects_)
      if (const T* found = std::any_cast<T>(&object)) return *found;
    static const T kUntouched{};
    return kUntouched;
  }

 private:
  std::list<std::any> objects_;  // a list: references that get() returned remain valid
};

}  // namespace fathom::base

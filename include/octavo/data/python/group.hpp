// SPDX-License-Identifier: Apache-2.0
// A group of objects of Python and of C++ together.
//
//   octavo::python::group g(part, octavo::python::open("ov://home/model"));     // part: a remote_ptr<Part>
//   std::vector<double> shares = g.call<double>("share");                       // a call to all, by the method's name; octavo::each as in octavo::group
//   octavo::future<std::vector<double>> soon = g.start<double>("share");
//   g.barrier();  g[1].call("reset");
//
// The same in Python: g = octavo.group([octavo.open("ov://home/part"), model]); g.all.share()
//
// Contract: G-1 to G-3, as octavo::group. What members do together: member.hpp. Threading: a value. Failure: as octavo::group, and as object.hpp.
#pragma once

#include "octavo/data/python/object.hpp"

namespace octavo::python {

class group {
 public:
  group() = default;  // of nobody, to be assigned to
  explicit group(std::vector<object> members);
  template <class... P>
    requires(sizeof...(P) > 0 && (std::is_convertible_v<const P&, object> && ...))
  explicit group(const P&... members) : group(std::vector<object>{static_cast<object>(members)...}) {}

  [[nodiscard]] std::size_t size() const noexcept { return members_.size(); }
  [[nodiscard]] const object& operator[](std::size_t index) const { return members_.at(index); }
  [[nodiscard]] const std::vector<object>& members() const noexcept { return members_; }
  [[nodiscard]] auto begin() const { return members_.begin(); }
  [[nodiscard]] auto end() const { return members_.end(); }
  [[nodiscard]] std::uint64_t id() const noexcept { return of_ ? of_->id : 0; }
  bool operator==(const group& other) const noexcept { return id() == other.id(); }

  template <class R = void, class... A>
  auto call(std::string_view method, const A&... arguments) const {
    return start<R>(method, arguments...).get();
  }
  template <class R = void, class... A>
  future<octavo::detail::together_t<R>> start(std::string_view method, const A&... arguments) const {
    return octavo::detail::when_all_of(start_each<R>(method, arguments...), of_);
  }
  void barrier() const { octavo::detail::barrier_from_outside(*of_); }

  // One that its members know already.
  static group known(std::shared_ptr<const octavo::detail::Founding> of);

 private:
  template <class R, class... A>
  std::vector<future<R>> start_each(std::string_view method, const A&... arguments) const {
    using namespace octavo::detail;
    (check_argument(arguments, size()), ...);
    std::vector<future<R>> started;
    CallToAll which{id(), new_number(), 0};
    for (std::size_t i = 0; i < size(); ++i) {
      which.life = i < of_->lives.size() ? of_->lives[i] : 0;
      try {
        started.push_back(start_named<R>(members_[i].address(), which, method, argument_of(arguments, i)...));
      } catch (...) {  // a call that could not even be sent fails as one that was
        promise<R> failed;
        started.push_back(failed.get_future());
        failed.set_exception(std::current_exception());
      }
    }
    return started;
  }
  std::shared_ptr<const octavo::detail::Founding> of_;
  std::vector<object> members_;
};

}  // namespace octavo::python

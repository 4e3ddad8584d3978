// SPDX-License-Identifier: Apache-2.0
#include "system/libraries/derived.hpp"

#include "system/libraries/factory.hpp"

namespace libraries {

Derived::Derived(int start, std::string nature) : Base(start), nature_(std::move(nature)) {}
std::string Derived::who() const { return nature_; }
std::string Derived::label() const { return "[" + Labelled::label() + "]"; }
int Derived::drop(int n) { return add(-n); }

octavo::remote_ptr<Base> make_derived(const octavo::Machine& where, int start, const std::string& nature) { return where.make<Derived>(start, nature); }

namespace {

// Known to this file alone.
class Secret final : public Derived {
 public:
  explicit Secret(int start) : Derived(start, "secret") {}
  [[nodiscard]] std::string who() const override { return "very " + Derived::who(); }
};

}  // namespace

octavo::remote_ptr<Base> make_secret(const octavo::Machine& where, int start) { return where.make<Secret>(start); }

}  // namespace libraries

// SPDX-License-Identifier: Apache-2.0
// One program in two versions: the second keeps cents, and converts what the first has saved.
#include <cstdint>
#include <iostream>
#include <string>

#include "octavo/process.hpp"

namespace ov = octavo;

class Account {
 public:
  void add(std::int64_t euros) { amount_ += euros * unit; }
  [[nodiscard]] std::string text() const { return std::to_string(amount_) + (VERSION == 1 ? " euros" : " cents"); }
  template <class Archive>
  void serialize(Archive& archive, std::uint32_t version) {
    archive(amount_);
    if (VERSION == 2 && version == 1) amount_ *= 100;
  }

 private:
  static constexpr std::int64_t unit = VERSION == 1 ? 1 : 100;
  std::int64_t amount_ = 0;
};
CEREAL_CLASS_VERSION(Account, VERSION)
OCTAVO_REMOTE(Account, add, text)

int main(int argc, char** argv) {
  ov::Runtime runtime(argc, argv);
  std::string what = argc > 1 ? argv[1] : "";
  try {
    if (what == "end") {
      ov::end_lasting_agent();
      return 0;
    }
    auto account = what == "make" ? ov::named("account").make<Account>() : ov::open<Account>("account");
    if (what == "add") account->add(7);
    std::cout << account->text() << "\n";
  } catch (const ov::error& e) {
    std::cout << e.what() << "\n";
    return 1;
  }
}

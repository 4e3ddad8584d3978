// SPDX-License-Identifier: Apache-2.0
// What a stranger writes on the first day: classes of his own in processes, called, started, failing and dying.
#include <cstdlib>
#include <iostream>
#include <octavo/octavo.hpp>
#include <stdexcept>
#include <string>

struct overdrawn : std::runtime_error {
  using runtime_error::runtime_error;
};
OCTAVO_ERROR(overdrawn)

class Account {
 public:
  explicit Account(int balance) : balance_(balance) {}
  int take(int n) { return n > balance_ ? throw overdrawn("there are only " + std::to_string(balance_)) : balance_ -= n; }
  void crash() { std::abort(); }

 private:
  int balance_;
};
OCTAVO_REMOTE(Account, take, crash)

struct Plain {  // knows nothing of Octavo
  std::string twice(const std::string& text) { return text + text; }
};

int main(int argc, char** argv) {
  octavo::Runtime runtime(argc, argv);
  auto account = runtime.machine().make<Account>(100);
  auto plain = octavo::scoped(runtime.machine().make<Plain>());
  std::cout << "take gives " << account->take(10) << "\n";
  auto first = octavo::start(account)->take(20), second = octavo::start(account)->take(30);
  auto text = octavo::start<&Plain::twice>(plain.get(), "ho");
  std::cout << "started: " << first.get() << ", " << second.get() << ", " << text.get() << octavo::call<&Plain::twice>(plain.get(), "!") << "\n";
  try {
    account->take(1000);
  } catch (const overdrawn& e) {
    std::cout << "overdrawn: " << e.what() << "; thrown in " << octavo::origin(e)->process.class_name << "\n";
  }
  try {
    account->crash();
  } catch (const octavo::process_died& e) {
    std::cout << "process_died: " << e.obituary().facts.class_name << " by signal " << (e.obituary().status & 0x7f) << "\n";
  }
}

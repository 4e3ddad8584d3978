// SPDX-License-Identifier: Apache-2.0
#include "octavo/base/recycled.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OCTAVO_WATCHED 1
#else
#define OCTAVO_WATCHED 0
#endif

namespace octavo::recycled {

namespace {

constexpr std::size_t most_kept = OCTAVO_WATCHED ? 0 : 2048;

struct Block {
  Block* next;
};

// Plain data, as it is looked at by every allocation. Its keeper empties it when the thread ends.
struct Kept {
  Block* first;
  std::size_t count;
  bool has_keeper, over;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local Kept kept{};

struct Keeper {
  Keeper() { kept.has_keeper = true; }
  ~Keeper() {
    kept.over = true;
    while (kept.first != nullptr) {
      Block* block = kept.first;
      kept.first = block->next;
      ::operator delete(block);
    }
  }
};

void keep_till_the_end() {
  thread_local const Keeper keeper;
  static_cast<void>(keeper);
}

}  // namespace

void* take() {
  if (kept.first == nullptr) return ::operator new(block_bytes);
  Block* block = kept.first;
  kept.first = block->next;
  --kept.count;
  return block;
}

void give_back(void* block) noexcept {
  if (kept.count == most_kept || kept.over) return ::operator delete(block);
  if (!kept.has_keeper) keep_till_the_end();
  kept.first = new (block) Block{kept.first};
  ++kept.count;
}

}  // namespace octavo::recycled

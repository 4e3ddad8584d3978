// SPDX-License-Identifier: Apache-2.0
// A status board that another process wrote: its head, and rows. Whatever lies there, all that is told of it is bounded and clean.
// Input: the bytes of a header, then of rows; what is missing is zeros.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "fuzz/kit/check.hpp"
#include "machine/board/read.hpp"

namespace {

using namespace octavo;

// The words of `to`, from the front of `bytes`, which is what is left then.
template <class T>
void fill(T& to, std::string_view& bytes) {
  auto* words = reinterpret_cast<board::Word*>(&to);
  for (std::size_t i = 0; i < sizeof(T) / sizeof(board::Word); ++i) {
    std::uint64_t word = 0;
    std::size_t some = std::min(bytes.size(), sizeof word);
    if (some != 0) std::memcpy(&word, bytes.data(), some);
    bytes.remove_prefix(some);
    words[i].store(word, std::memory_order_relaxed);
  }
}

void check_text(const std::string& text, std::size_t most) {
  fuzz::require(text.size() <= most, "a text is bounded");
  fuzz::require(board::clean_text(text) == text, "a text is clean");
}

void check_facts(const ProcessFacts& facts) {
  check_text(facts.class_name, 192);
  check_text(facts.machine, 192);
  fuzz::require(facts.pid > 0 && facts.pid <= 1 << 22, "a pid can be one");
  fuzz::require(std::isfinite(facts.started) && facts.started >= 0, "a time can be one");
}

void check(std::string_view bytes) {
  auto board = std::make_unique<board::Board>();
  fill(board->header, bytes);
  if (auto head = board::read_head(board->header)) {
    check_facts(head->agent);
    fuzz::require(head->kind <= agent_kind::lasting, "its kind is one of those there are");
  }
  for (std::size_t i = 0; i < 4 && !bytes.empty(); ++i) {
    auto& row = board->rows[i];
    fill(row, bytes);
    // Nobody changes it: what stands in a change would be waited for in vain.
    for (auto* sequence : {&row.sequence, &row.doing, &row.waits.sequence, &row.beside.sequence}) sequence->store(sequence->load() & ~std::uint64_t{1});
    auto status = board::read_row(row, row.arrived.load());
    if (!status) continue;
    check_facts(status->facts);
    check_text(status->name, 256 + 5);
    check_text(status->method, 320);
    check_text(status->waits_in, 216);
    fuzz::require(status->method_seconds >= 0 && status->method_seconds < 1e10, "a method runs for a time that can be");
    fuzz::require(status->waits_seconds >= 0 && status->waits_seconds < 1e10, "it waits for a time that can be");
    fuzz::require(status->state != process_state::waiting || static_cast<bool>(status->waits_for), "who waits waits for somebody");
    fuzz::require(static_cast<bool>(status->waits_for) || status->waits_in.empty(), "nobody waits in a method of nobody");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::accepts(size + sizeof(octavo::board::Board), [&] { check(fuzz::as_text(data, size)); });
  return 0;
}

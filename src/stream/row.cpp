// SPDX-License-Identifier: Apache-2.0
#include "octavo/stream/detail/sent/row.hpp"

namespace octavo::stream {
namespace {

// What a frame took with it, in another one.
class Together final : public wire::Carried {
 public:
  explicit Together(wire::AllCarried&& all) : all_(std::move(all)) {}
  Together(const Together&) = delete;
  Together& operator=(const Together&) = delete;
  ~Together() override { all_.release(); }
  void leaves_for(const Life& to) noexcept override { all_.leave_for(to); }
  void is_over() noexcept override { const wire::AllCarried over(std::move(all_)); }

 private:
  wire::AllCarried all_;
};

}  // namespace

void append(wire::Encoder& to, wire::Outgoing& from) {
  to.put(from.body.data(), from.body.size());
  for (const auto& part : from.bulk) to.put_bulk(part.data(), part.size());
  auto* const keeper = std::exchange(from.owner.keeper, nullptr);
  for (const auto& page : from.pages) to.put_page(page, keeper);
  if (!from.carried.empty()) to.carry(std::make_shared<Together>(std::move(from.carried)));
}

wire::Message take_back(wire::Outgoing& from) {
  wire::Message message = wire::message_of(from);
  message.keeper = std::exchange(from.owner.keeper, nullptr);
  return message;
}

}  // namespace octavo::stream

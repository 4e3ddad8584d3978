// SPDX-License-Identifier: Apache-2.0
#include "link/bare.hpp"

#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>
#include <thread>

#include "kit/clock.hpp"

namespace bench {

namespace {

namespace kit = octavo::kit;
namespace road = octavo::road;
using octavo::ByteSpan;
using octavo::ByteView;

constexpr int warm_pages = 4, pages = 24, cipher_pages = 12, trips = 5000;
constexpr std::size_t record_bytes = 16384;

class BareLink final : public road::Link {
 public:
  explicit BareLink(octavo::Fd socket) : socket_(std::move(socket)) {
    int one = 1;
    ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  }
  std::size_t send(std::span<const ByteView> pieces) override { return moved(::send(descriptor(), pieces[0].data(), pieces[0].size(), MSG_DONTWAIT)); }
  std::size_t receive(std::span<const ByteSpan> into) override { return moved(::recv(descriptor(), into[0].data(), into[0].size(), MSG_DONTWAIT)); }
  [[nodiscard]] int descriptor() const override { return socket_.get(); }
  [[nodiscard]] short events(bool sending) const override { return static_cast<short>(sending ? POLLIN | POLLOUT : POLLIN); }
  [[nodiscard]] bool lost() const override { return false; }
  [[nodiscard]] std::string why() const override { return ""; }
  void close() override {}
  [[nodiscard]] std::string_view kind() const override { return "tcp"; }

 private:
  static std::size_t moved(ssize_t n) {
    if (n == 0 || (n < 0 && errno != EAGAIN)) throw std::system_error(errno, std::generic_category(), "moving bytes by TCP");
    return n < 0 ? 0 : static_cast<std::size_t>(n);
  }
  octavo::Fd socket_;
};

void wait_for(const road::Link& link, bool sending) {
  pollfd poll{link.descriptor(), link.events(sending), 0};
  ::poll(&poll, 1, -1);
}

void send_all(road::Link& link, ByteView bytes) {
  while (!bytes.empty()) {
    bytes = bytes.subspan(link.send(std::span(&bytes, 1)));
    if (!bytes.empty()) wait_for(link, true);
    if (link.lost()) throw std::runtime_error("the link is lost: " + link.why());
  }
}

void receive_all(road::Link& link, ByteSpan bytes, bool sleeps = true) {
  while (!bytes.empty()) {
    bytes = bytes.subspan(link.receive(std::span(&bytes, 1)));
    if (!bytes.empty() && sleeps) wait_for(link, false);
    if (link.lost()) throw std::runtime_error("the link is lost: " + link.why());
  }
}

double trip(kit::TwoLinks& links, bool sleeps) {
  std::array<std::byte, 8> here{}, there{};
  std::thread echo([&] {
    for (int i = 0; i < trips; ++i) {
      receive_all(*links.second, there, sleeps);
      send_all(*links.second, there);
    }
  });
  auto begin = Clock::now();
  for (int i = 0; i < trips; ++i) {
    send_all(*links.first, here);
    receive_all(*links.first, here, sleeps);
  }
  double seconds = seconds_since(begin);
  echo.join();
  return seconds / trips;
}

}  // namespace

kit::TwoLinks bare_links(std::pair<octavo::Fd, octavo::Fd> sockets) {
  return {std::make_unique<BareLink>(std::move(sockets.first)), std::make_unique<BareLink>(std::move(sockets.second))};
}

double bytes_per_second(kit::TwoLinks& links) {
  std::vector<std::byte> from(page_bytes, std::byte{7}), to(page_bytes);
  std::thread sender([&] {
    for (int i = 0; i < warm_pages + pages; ++i) send_all(*links.first, from);
  });
  for (int i = 0; i < warm_pages; ++i) receive_all(*links.second, to);
  auto begin = Clock::now();
  for (int i = 0; i < pages; ++i) receive_all(*links.second, to);
  double seconds = seconds_since(begin);
  sender.join();
  return pages * static_cast<double>(page_bytes) / seconds;
}

double round_trip(kit::TwoLinks& links) { return trip(links, true); }
double restless_round_trip(kit::TwoLinks& links) { return trip(links, false); }

double cipher_bytes_per_second() {
  std::unique_ptr<EVP_CIPHER_CTX, decltype(&::EVP_CIPHER_CTX_free)> context(::EVP_CIPHER_CTX_new(), &::EVP_CIPHER_CTX_free);
  std::array<unsigned char, 16> key{}, nonce{}, tag{};
  std::vector<unsigned char> from(page_bytes, 7), to(record_bytes);
  ::EVP_EncryptInit_ex(context.get(), ::EVP_aes_128_gcm(), nullptr, key.data(), nonce.data());
  auto begin = Clock::now();
  for (int i = 0; i < cipher_pages; ++i)
    for (std::size_t at = 0; at < page_bytes; at += record_bytes) {
      int n = 0;
      ++nonce[0];
      ::EVP_EncryptInit_ex(context.get(), nullptr, nullptr, nullptr, nonce.data());
      ::EVP_EncryptUpdate(context.get(), to.data(), &n, from.data() + at, record_bytes);
      ::EVP_EncryptFinal_ex(context.get(), to.data(), &n);
      ::EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, 16, tag.data());
    }
  return cipher_pages * static_cast<double>(page_bytes) / seconds_since(begin);
}

}  // namespace bench

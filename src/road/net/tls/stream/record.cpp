// SPDX-License-Identifier: Apache-2.0
#include "road/net/tls/stream/record.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/kdf.h>

#include <cstring>
#include <string_view>

namespace octavo::road::tls {

namespace {

using Kdf = std::unique_ptr<EVP_KDF, Release<EVP_KDF_free>>;
using KdfContext = std::unique_ptr<EVP_KDF_CTX, Release<EVP_KDF_CTX_free>>;
using Cipher = std::unique_ptr<EVP_CIPHER, Release<EVP_CIPHER_free>>;

unsigned char* raw(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }
const unsigned char* raw(const std::byte* bytes) { return reinterpret_cast<const unsigned char*>(bytes); }

// HKDF-Expand-Label (RFC 8446, 7.1) with nothing as its context.
void expand(const TrafficSecret& secret, std::string_view label, unsigned char* out, std::size_t size) {
  Kdf kdf(::EVP_KDF_fetch(nullptr, "TLS13-KDF", nullptr));
  KdfContext context(::EVP_KDF_CTX_new(kdf.get()));
  check_openssl(context != nullptr, "finding the key schedule of TLS 1.3");
  int mode = EVP_KDF_HKDF_MODE_EXPAND_ONLY;
  auto octets = [](const char* name, const void* begin, std::size_t n) { return ::OSSL_PARAM_construct_octet_string(name, const_cast<void*>(begin), n); };
  std::string digest = "SHA256";
  std::array parameters{::OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
                        ::OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode),
                        octets(OSSL_KDF_PARAM_KEY, secret.data(), secret.size()),
                        octets(OSSL_KDF_PARAM_PREFIX, "tls13 ", 6),
                        octets(OSSL_KDF_PARAM_LABEL, label.data(), label.size()),
                        ::OSSL_PARAM_construct_end()};
  check_openssl(::EVP_KDF_derive(context.get(), out, size, parameters.data()) == 1, "deriving a key");
}

}  // namespace

Secrets::~Secrets() { ::OPENSSL_cleanse(this, sizeof *this); }

std::size_t record_bytes(ByteView begin) {
  auto at = [&](std::size_t i) { return static_cast<std::size_t>(begin[i]); };
  std::size_t body = at(3) << 8 | at(4);
  bool good = at(0) == static_cast<std::size_t>(content::data) && at(1) == 3 && at(2) == 3 && body > tag_bytes && body <= most_content + 1 + tag_bytes;
  return good ? header_bytes + body : 0;
}

Direction::Direction(const TrafficSecret& secret, bool sealing) : cipher_(::EVP_CIPHER_CTX_new()), secret_(secret), sealing_(sealing) {
  Cipher cipher(::EVP_CIPHER_fetch(nullptr, "AES-128-GCM", nullptr));
  check_openssl(cipher_ && cipher && ::EVP_CipherInit_ex2(cipher_.get(), cipher.get(), nullptr, nullptr, sealing_ ? 1 : 0, nullptr) == 1,
                "finding AES-128-GCM");
  derive();
}

Direction::~Direction() { ::OPENSSL_cleanse(secret_.data(), secret_.size()); }

void Direction::next_keys() {
  TrafficSecret next{};
  expand(secret_, "traffic upd", raw(next.data()), next.size());
  secret_ = next;
  ::OPENSSL_cleanse(next.data(), next.size());
  derive();
}

void Direction::derive() {
  std::array<unsigned char, 16> key{};
  expand(secret_, "key", key.data(), key.size());
  expand(secret_, "iv", iv_.data(), iv_.size());
  bool good = ::EVP_CipherInit_ex2(cipher_.get(), nullptr, key.data(), nullptr, sealing_ ? 1 : 0, nullptr) == 1;
  ::OPENSSL_cleanse(key.data(), key.size());
  check_openssl(good, "setting a key");
  sequence_ = 0;
}

void Direction::begin(ByteView header) {
  auto nonce = iv_;
  for (std::size_t i = 0; i < 8; ++i) nonce[nonce.size() - 1 - i] ^= static_cast<unsigned char>(sequence_ >> (8 * i));
  ++sequence_;
  int n = 0;
  bool good = ::EVP_CipherInit_ex2(cipher_.get(), nullptr, nullptr, nonce.data(), sealing_ ? 1 : 0, nullptr) == 1 &&
              ::EVP_CipherUpdate(cipher_.get(), nullptr, &n, raw(header.data()), static_cast<int>(header.size())) == 1;
  check_openssl(good, "beginning a record");
}

std::size_t Sealer::seal(content type, Gather& from, std::size_t n, std::byte* room) {
  std::size_t body = n + 1 + tag_bytes;
  std::array header{std::byte{static_cast<unsigned char>(content::data)}, std::byte{3}, std::byte{3}, static_cast<std::byte>(body >> 8),
                    static_cast<std::byte>(body)};
  std::memcpy(room, header.data(), header.size());
  begin(header);
  auto* out = raw(room + header_bytes);
  int now = 0;
  bool good = true;
  for (std::size_t left = n; left != 0 && good; left -= static_cast<std::size_t>(now), out += now) {
    auto piece = from.next(left);
    good = ::EVP_EncryptUpdate(cipher_.get(), out, &now, raw(piece.data()), static_cast<int>(piece.size())) == 1;
  }
  auto last = static_cast<unsigned char>(type);
  good = good && ::EVP_EncryptUpdate(cipher_.get(), out, &now, &last, 1) == 1 && ::EVP_EncryptFinal_ex(cipher_.get(), out + 1, &now) == 1 &&
         ::EVP_CIPHER_CTX_ctrl(cipher_.get(), EVP_CTRL_AEAD_GET_TAG, tag_bytes, out + 1) == 1;
  check_openssl(good, "sealing a record");
  return n + record_overhead;
}

bool Opener::open(ByteView record, Scatter& into, content& type) {
  begin(record.first(header_bytes));
  const auto before = into;
  const auto* in = raw(record.data() + header_bytes);
  std::size_t size = record.size() - record_overhead;
  int now = 0;
  bool good = true;
  for (std::size_t left = size; left != 0 && good; left -= static_cast<std::size_t>(now), in += now) {
    auto piece = into.next(left);
    good = ::EVP_DecryptUpdate(cipher_.get(), raw(piece.data()), &now, in, static_cast<int>(piece.size())) == 1;
  }
  unsigned char last = 0, none = 0;
  good = good && ::EVP_DecryptUpdate(cipher_.get(), &last, &now, in, 1) == 1;
  check_openssl(good, "opening a record");
  bool proven = ::EVP_CIPHER_CTX_ctrl(cipher_.get(), EVP_CTRL_AEAD_SET_TAG, tag_bytes, const_cast<unsigned char*>(in + 1)) == 1 &&
                ::EVP_DecryptFinal_ex(cipher_.get(), &none, &now) == 1;
  if (!proven) {
    (void)openssl_reason();  // none: an altered record is no failure of OpenSSL
    into = before;
    for (std::size_t left = size; left != 0;) {
      auto piece = into.next(left);
      std::memset(piece.data(), 0, piece.size());
      left -= piece.size();
    }
    into = before;
  }
  type = static_cast<content>(last);
  return proven;
}

}  // namespace octavo::road::tls

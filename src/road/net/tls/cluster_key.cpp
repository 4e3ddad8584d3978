// SPDX-License-Identifier: Apache-2.0
// The cluster's key and its file: four lines, all of a known length, the last a checksum of the others.
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL  // nothing is linked
#include <xxhash.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "octavo/base/error.hpp"
#include "octavo/base/fd.hpp"
#include "road/net/tls/secret.hpp"

namespace octavo::road {

namespace {

constexpr std::string_view title = "octavo cluster key 1\n", prefix = "octavo-", digits = "0123456789abcdef";
constexpr std::size_t name_bytes = 8, sum_digits = 16;
constexpr std::size_t identity_size = prefix.size() + 2 * name_bytes;
constexpr std::size_t summed_size = title.size() + identity_size + 1 + 64 + 1, file_size = summed_size + sum_digits + 1;

// Text that holds the secret: wiped when it goes. It has its size from the beginning, as what is moved leaves a copy.
struct Wiped {
  std::string text;
  Wiped() { text.reserve(file_size + 1); }
  Wiped(const Wiped&) = delete;
  Wiped& operator=(const Wiped&) = delete;
  ~Wiped() { ::explicit_bzero(text.data(), text.capacity()); }
};

void append_hex(std::string& text, ByteView bytes) {
  for (auto byte : bytes) {
    text += digits[static_cast<std::size_t>(byte) >> 4];
    text += digits[static_cast<std::size_t>(byte) & 15];
  }
}

bool is_hex(std::string_view text) { return text.find_first_not_of(digits) == std::string_view::npos; }

void fill_random(ByteSpan bytes) {
  for (std::size_t n = 0; n < bytes.size();) {
    ssize_t now = ::getrandom(bytes.data() + n, bytes.size() - n, 0);
    if (now < 0 && errno != EINTR) throw io_error_from(errno, "asking the kernel for random numbers");
    if (now > 0) n += static_cast<std::size_t>(now);
  }
}

void append_sum(std::string& text) {
  std::array<char, sum_digits + 2> sum{};
  std::snprintf(sum.data(), sum.size(), "%016llx\n", static_cast<unsigned long long>(XXH64(text.data(), text.size(), 0)));
  text += sum.data();
}

// Throws unless it is the file of a secret: this user's alone.
void check_owner(int file, const std::string& path) {
  struct stat status {};
  if (::fstat(file, &status) != 0) throw io_error_from(errno, "reading the cluster key '" + path + "'");
  std::string what = "the cluster key '" + path + "'";
  if (!S_ISREG(status.st_mode)) throw refused(what + " is not a regular file", "Name the file that ClusterKey::save wrote");
  if (status.st_uid != ::geteuid())
    throw refused(what + " belongs to user " + std::to_string(status.st_uid) + ", not to user " + std::to_string(::geteuid()),
                  "Copy it into a file of your own, with mode 600");
  if ((status.st_mode & 077) != 0) {
    std::array<char, 8> mode{};
    std::snprintf(mode.data(), mode.size(), "%04o", static_cast<unsigned>(status.st_mode & 07777));
    throw refused(what + " is open to other users (mode " + mode.data() + "): it may be known to them",
                  "Make a new key for the cluster; or, if nobody has read it, chmod 600 '" + path + "'");
  }
}

void read_all(int file, const std::string& doing, std::size_t most, std::string& text) {
  text.resize(most);
  std::size_t n = 0;
  while (n < text.size()) {
    ssize_t now = ::read(file, text.data() + n, text.size() - n);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) throw io_error_from(errno, doing);
    if (now == 0) break;
    n += static_cast<std::size_t>(now);
  }
  text.resize(n);
}

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    ssize_t n = ::write(file, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw io_error_from(errno, "writing it");
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

void sync_folder_of(const std::string& path) {
  auto folder = std::filesystem::absolute(path).parent_path();
  Fd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || (::fsync(opened.get()) != 0 && errno != EINVAL)) throw io_error_from(errno, "syncing its directory");  // EINVAL: it has no such thing
}

}  // namespace

ClusterKey::~ClusterKey() { ::explicit_bzero(secret_.data(), secret_.size()); }

ClusterKey ClusterKey::make() {
  ClusterKey key;
  std::array<std::byte, name_bytes> name{};
  fill_random(key.secret_);
  fill_random(name);
  key.identity_ = prefix;
  append_hex(key.identity_, name);
  return key;
}

namespace {

void compose(const ClusterKey& key, std::string& text) {
  text.append(title).append(key.identity()) += '\n';
  append_hex(text, TlsSecret::of(key));
  text += '\n';
  append_sum(text);
}

}  // namespace

void ClusterKey::save(const std::string& path) const {
  Wiped file_text;
  compose(*this, file_text.text);
  Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file && errno == EEXIST)
    throw io_error("saving the cluster key: there is a file '" + path + "' already", "Load it, or remove it if the cluster is to have a new key");
  if (!file) throw io_error_from(errno, "saving the cluster key '" + path + "'");
  try {
    write_all(file.get(), file_text.text);
    if (::fchmod(file.get(), 0600) != 0 || ::fsync(file.get()) != 0) throw io_error_from(errno, "syncing it");
    sync_folder_of(path);
  } catch (error& failure) {
    ::unlink(path.c_str());
    failure.add_context("saving the cluster key '" + path + "'");
    throw;
  }
}

ClusterKey ClusterKey::load(const std::string& path) {
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // O_NONBLOCK: a pipe is refused, not waited for
  if (!file) throw io_error_from(errno, "reading the cluster key '" + path + "'");
  check_owner(file.get(), path);
  Wiped file_text;
  read_all(file.get(), "reading the cluster key '" + path + "'", file_size + 1, file_text.text);  // one more, to see that there is no more
  return TlsSecret::parse(file_text.text, "the cluster key '" + path + "'");
}

ClusterKey TlsSecret::parse(const std::string& text, const std::string& what) {
  auto damaged = [&](const char* how) { return refused(what + " is damaged: " + how, "Copy it again from a machine of the cluster, byte for byte"); };
  if (text.size() < file_size) throw damaged("it is too short");
  if (text.size() > file_size) throw damaged("it is too long");
  Wiped sum;
  sum.text.assign(text, 0, summed_size);
  append_sum(sum.text);
  auto identity = text.substr(title.size(), identity_size);
  std::string_view hex = std::string_view(text).substr(title.size() + identity_size + 1, 64);
  if (!text.starts_with(title) || !identity.starts_with(prefix) || !is_hex(identity.substr(prefix.size())) || !is_hex(hex))
    throw damaged("it does not have the form of one");
  if (sum.text != text) throw damaged("its checksum is wrong");
  ClusterKey key;
  key.identity_ = identity;
  for (std::size_t i = 0; i < key.secret_.size(); ++i) key.secret_[i] = static_cast<std::byte>(digits.find(hex[2 * i]) << 4 | digits.find(hex[2 * i + 1]));
  Wiped again;
  compose(key, again.text);
  if (again.text != text) throw damaged("it does not have the form of one");
  return key;
}

void TlsSecret::write(const ClusterKey& key, int to) {
  Wiped text;
  compose(key, text.text);
  write_all(to, text.text);
}

ClusterKey TlsSecret::read(int from) {
  Wiped text;
  read_all(from, "reading a cluster key", file_size, text.text);
  return parse(text.text, "the cluster key that was passed on");
}

}  // namespace octavo::road

// SPDX-License-Identifier: Apache-2.0
// gRPC between two processes by a Unix socket, through its generic interface: eight bytes there and back, not one more for a description of
// what they are. The program starts the second one itself; neither is bound to a processor, as each has threads of its own.
//
//   peer_grpc FOLDER
//
//   call 8 COUNT            seconds there and back              started 8 COUNT   calls a second, collected in windows of 1000
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <memory>

#include "answering.hpp"

namespace {

using peer::Request;
constexpr long window = 1000;

grpc::ByteBuffer bytes_of(long value) {
  const grpc::Slice slice(&value, sizeof value);
  return {&slice, 1};
}

long value_of(const grpc::ByteBuffer& bytes) {
  grpc::Slice slice;
  long value = 0;
  if (!bytes.DumpToSingleSlice(&slice).ok() || slice.size() != sizeof value) throw std::runtime_error("a message is not of 8 bytes");
  std::memcpy(&value, slice.begin(), sizeof value);
  return value;
}

// Adds what it is given and answers with the sum, as the other peers' methods do.
class Adding final : public grpc::CallbackGenericService {
 public:
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* /*unused*/) override { return new One(sum_); }

 private:
  class One final : public grpc::ServerGenericBidiReactor {
   public:
    explicit One(std::atomic<long>& sum) : sum_(sum) { StartRead(&message_); }
    void OnReadDone(bool whole) override {
      if (!whole) return Finish(grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "no argument"));
      const long added = value_of(message_);
      message_ = bytes_of(sum_.fetch_add(added) + added);
      StartWriteAndFinish(&message_, {}, grpc::Status::OK);
    }
    void OnDone() override { delete this; }

   private:
    std::atomic<long>& sum_;
    grpc::ByteBuffer message_;
  };
  std::atomic<long> sum_{0};
};

class Caller {
 public:
  explicit Caller(const std::string& address) : stub_(grpc::CreateChannel(address, grpc::InsecureChannelCredentials())) {}

  double call(const Request& request) {
    for (long i = 0; i < request.warm(); ++i) start_and_collect(1);
    auto begin = peer::Clock::now();
    for (long i = 0; i < request.count; ++i) start_and_collect(1);
    return peer::seconds_since(begin) / static_cast<double>(request.count);
  }
  double started(const Request& request) {
    start_and_collect(window);
    const long windows = request.count / window + 1;
    auto begin = peer::Clock::now();
    for (long i = 0; i < windows; ++i) start_and_collect(window);
    return static_cast<double>(windows * window) / peer::seconds_since(begin);
  }

 private:
  struct Open {
    grpc::ClientContext context;
    grpc::ByteBuffer answer;
    grpc::Status status;
    std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader;
  };
  void start_and_collect(long count) {
    for (long i = 0; i < count; ++i) start(i);
    for (long i = 0; i < count; ++i) collect();
  }
  void start(long value) {
    auto open = std::make_unique<Open>();
    open->context.set_wait_for_ready(true);
    open->reader = stub_.PrepareUnaryCall(&open->context, "/bench/add", bytes_of(value), &done_);
    open->reader->StartCall();
    auto* mine = open.release();  // comes back by the queue
    mine->reader->Finish(&mine->answer, &mine->status, mine);
  }
  void collect() {
    void* mine = nullptr;
    bool fine = false;
    if (!done_.Next(&mine, &fine)) throw std::runtime_error("the queue of answers ended");
    const std::unique_ptr<Open> open(static_cast<Open*>(mine));
    if (!open->status.ok()) throw std::runtime_error("a call failed: " + open->status.error_message());
    value_of(open->answer);
  }
  grpc::GenericStub stub_;
  grpc::CompletionQueue done_;
};

void serve(const std::string& address, const std::string& folder) {
  Adding adding;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, grpc::InsecureServerCredentials());
  builder.RegisterCallbackGenericService(&adding);
  auto server = builder.BuildAndStart();
  if (!server) throw std::runtime_error("cannot serve at " + address);
  auto nothing = [](const Request& /*unused*/) { return 0.0; };  // its threads answer
  peer::answer_all(folder, 1, {{"call", nothing}, {"started", nothing}});
  server->Shutdown();
}

}  // namespace

int main(int argc, char** argv) {
  return peer::main_of(argc, argv, "peer_grpc", [](const std::string& folder) {
    const std::string address = "unix:" + folder + "/grpc";
    const pid_t second = ::fork();  // before gRPC has threads
    if (second < 0) throw std::runtime_error("the second process cannot be started");
    if (second == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      serve(address, folder);
      return;
    }
    {
      Caller caller(address);
      peer::answer_all(folder, 0,
                       {{"call", [&](const Request& of) { return caller.call(of); }}, {"started", [&](const Request& of) { return caller.started(of); }}});
    }
    ::waitpid(second, nullptr, 0);
  });
}

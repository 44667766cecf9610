// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// One gRPC request, sent again and again to one server from one thread: as many
// at a time (closed loop), or as many a second whatever becomes of them (open
// loop). It speaks HTTP/2 itself, since gRPC's client takes as long for a call
// as the server: it sends the same bytes each time, headers before bodies,
// keeps to the server's windows, opens its own wide, and looks at nothing in a
// reply but its status.

#ifndef STRIDECAST_TESTS_BENCH_LOAD_GENERATOR_H_
#define STRIDECAST_TESTS_BENCH_LOAD_GENERATOR_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/peer.h"

namespace stridecast::bench {

using Metadata = std::vector<std::pair<std::string, std::string>>;

// Of a call that has ended.
struct Outcome {
  std::chrono::steady_clock::time_point began;
  std::chrono::steady_clock::time_point ended;
  int code;  // of gRPC

  double seconds() const {
    return std::chrono::duration<double>(ended - began).count();
  }
};

class LoadGenerator {
 public:
  using Clock = std::chrono::steady_clock;
  using Duration = std::chrono::duration<double>;

  // `address` is "IPv4:port". Ends the program if there is no connection.
  LoadGenerator(const std::string& address, int num_connections,
                int streams_per_connection, const Request& request,
                const Metadata& metadata, std::chrono::seconds deadline);
  ~LoadGenerator();
  LoadGenerator(const LoadGenerator&) = delete;
  LoadGenerator& operator=(const LoadGenerator&) = delete;

  // Begins calls for so long, and waits for the last.
  std::vector<Outcome> Closed(int in_flight, Duration duration);

  struct Open {
    std::vector<Outcome> outcomes;
    int64_t num_due = 0;        // by the schedule
    int64_t num_held_back = 0;  // of these: each stream had a call already
  };
  // Begins `rate` calls a second, later ones too when it could not keep up.
  // What is in flight at the end is left so.
  Open Offer(double rate, Duration duration);

  // Outcomes of what is in flight.
  std::vector<Outcome> Finish();

  // What its connections wrote.
  int64_t sent_bytes() const;

 private:
  class Connection;

  // Whether a stream was free for it.
  bool Begin();
  // Sends and receives what can be, after waiting so long for something.
  void Poll(int timeout_ms, std::vector<Outcome>& outcomes);

  const size_t streams_per_connection_;
  std::string headers_;  // a block of HPACK
  std::string body_;     // the message with its prefix
  std::vector<std::unique_ptr<Connection>> connections_;
  size_t next_ = 0;
  int64_t num_in_flight_ = 0;
};

}  // namespace stridecast::bench

#endif  // STRIDECAST_TESTS_BENCH_LOAD_GENERATOR_H_

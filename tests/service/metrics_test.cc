// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The HTTP port: what Prometheus and probes are told, read as they read it.

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "httplib.h"
#include "server/call.h"
#include "server/owned_fd.h"
#include "server/process_figures.h"
#include "server/version.h"
#include "tests/service/background_call.h"
#include "tests/service/http2_client.h"
#include "tests/service/raw_socket.h"
#include "tests/service/service_testing.h"
#include "tests/support/certificates.h"
#include "tests/support/http2_bytes.h"

namespace stridecast::testing {
namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::Ge;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Le;

using Samples = std::map<std::string, double>;

// "name{label="value"} 1.5" by what stands before the number.
Samples ParseSamples(const std::string& text) {
  Samples samples;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (line.empty() || line[0] == '#') continue;
    const size_t space = line.rfind(' ');
    double value;
    EXPECT_TRUE(absl::SimpleAtod(line.substr(space + 1), &value)) << line;
    EXPECT_TRUE(samples.emplace(line.substr(0, space), value).second) << line;
  }
  return samples;
}

class MetricsTest : public ::testing::Test {
 protected:
  static ServerOptions Options() {
    ServerOptions options = TestOptions();
    options.metrics_listen = "127.0.0.1:0";
    return options;
  }

  static httplib::Result Get(TestServer& server, const char* path) {
    return httplib::Client("http://" + server.server().metrics_address())
        .Get(path);
  }
  static Samples Scrape(TestServer& server) {
    const httplib::Result result = Get(server, "/metrics");
    EXPECT_TRUE(result);
    EXPECT_EQ(result->get_header_value("Content-Type"),
              "text/plain; version=0.0.4; charset=utf-8");
    return ParseSamples(result->body);
  }
  // What is counted when a call ends may come after its reply.
  static bool Becomes(TestServer& server, const std::string& sample,
                      double value) {
    return WaitUntil([&] { return Scrape(server)[sample] == value; });
  }
};

TEST_F(MetricsTest, CountsCallsByMethodAndStatus) {
  TestServer server(Options());
  constexpr char kOk[] =
      "stridecast_requests_total{code=\"OK\",method=\"Compute\"}";
  EXPECT_EQ(Scrape(server)[kOk], 0);
  const v1::ComputeRequest request = IdentityRequest(1000);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(BackgroundCall(server, request).Wait(), absl::OkStatus());
  }
  EXPECT_TRUE(Becomes(server, kOk, 3));
  v1::ComputeRequest wrong = request;
  wrong.mutable_payloads(0)->set_raw("123");
  EXPECT_FALSE(BackgroundCall(server, wrong).Wait().ok());
  EXPECT_TRUE(Becomes(server,
                      "stridecast_requests_total{code=\"INVALID_ARGUMENT\","
                      "method=\"Compute\"}",
                      1));

  Samples samples = Scrape(server);
  EXPECT_EQ(samples[kOk], 3);
  EXPECT_EQ(samples["stridecast_bytes_total{direction=\"in\"}"],
            3.0 * static_cast<double>(request.ByteSizeLong()) +
                static_cast<double>(wrong.ByteSizeLong()));
  EXPECT_THAT(samples["stridecast_bytes_total{direction=\"out\"}"],
              AllOf(Ge(3 * 4000), Le(3 * 4200)));
  const std::string durations = "stridecast_request_duration_seconds_";
  EXPECT_EQ(samples[durations + "count{method=\"Compute\"}"], 4);
  EXPECT_EQ(samples[durations + "bucket{method=\"Compute\",le=\"+Inf\"}"], 4);
  EXPECT_THAT(samples[durations + "sum{method=\"Compute\"}"], Gt(0));
  EXPECT_EQ(samples[durations + "count{method=\"Relayout\"}"], 0);
  // The plan was made once and found twice and once more.
  const std::string lookups = "stridecast_plan_cache_lookups_total{outcome=";
  EXPECT_EQ(samples[lookups + "\"miss\"}"], 1);
  EXPECT_EQ(samples[lookups + "\"hit\"}"], 3);
}

// Its windows are too small for them, and the caller reads nothing.
TEST_F(MetricsTest, AnswersThatDoNotArriveAreNoSuccess) {
  ServerOptions options = Options();
  options.default_deadline_seconds = 2;
  TestServer server(options);
  const std::string request =
      http2::WithPrefix(IotaRequest(1'000'000).SerializeAsString());
  const std::string address = server.server().addresses()[0];
  const auto count = [](const char* code) {
    return absl::StrCat("stridecast_requests_total{code=\"", code,
                        "\",method=\"Compute\"}");
  };
  {
    const auto waits = CallersThatDoNotRead(address, 1, 2, request);
    EXPECT_TRUE(Becomes(server, count("DEADLINE_EXCEEDED"), 2));
  }
  {
    const auto leaves = CallersThatDoNotRead(address, 1, 3, request);
    EXPECT_TRUE(WaitUntil([&] {
      return server.server()
                 .service()
                 .environment()
                 .memory->pool.stats()
                 .lent_bytes >= 3'000'000;
    }));
  }
  EXPECT_TRUE(Becomes(server, count("CANCELLED"), 3));
  Samples samples = Scrape(server);
  EXPECT_EQ(samples[count("OK")], 0);
  EXPECT_EQ(samples["stridecast_bytes_total{direction=\"out\"}"], 0);
}

// The fake engine takes as long as the test wants.
TEST_F(MetricsTest, TellsOfWhatRuns) {
  ServerOptions options = Options();
  options.max_inflight_calls = 1;
  const auto control = std::make_shared<FakeControl>();
  TestServer server(options, control);
  BackgroundCall call(server, IdentityRequest(1000));
  ASSERT_TRUE(WaitUntil([&] { return control->num_at_gate == 1; }));
  Samples samples = Scrape(server);
  EXPECT_EQ(samples["stridecast_inflight_calls"], 1);
  EXPECT_EQ(samples["stridecast_inflight_calls_limit"], 1);
  EXPECT_THAT(samples["stridecast_inflight_bytes"],
              AllOf(Ge(8000), Le(10'000)));
  EXPECT_EQ(samples["stridecast_inflight_bytes_limit"],
            static_cast<double>(options.max_inflight_bytes));
  EXPECT_EQ(samples["stridecast_memory_bytes_limit"],
            static_cast<double>(server.server().options().max_memory_bytes));
  EXPECT_EQ(samples["stridecast_queue_depth"], 0);
  EXPECT_THAT(samples["stridecast_pool_bytes{state=\"lent\"}"], Ge(4000));

  EXPECT_EQ(BackgroundCall(server, IdentityRequest(1)).Wait().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(
      Scrape(server)["stridecast_rejected_total{reason=\"inflight_calls\"}"],
      1);
  // As long as the gate is shut, the stage is one of computing.
  constexpr auto kShut = std::chrono::milliseconds(50);
  std::this_thread::sleep_for(kShut);
  control->gate_open = true;
  EXPECT_EQ(call.Wait(), absl::OkStatus());
  EXPECT_TRUE(Becomes(server, "stridecast_inflight_calls", 0));
  EXPECT_TRUE(Becomes(server, "stridecast_inflight_bytes", 0));
  samples = Scrape(server);
  const std::string stages = "stridecast_stage_duration_seconds_";
  EXPECT_EQ(samples[stages + "count{stage=\"compute\"}"], 1);
  EXPECT_THAT(samples[stages + "sum{stage=\"compute\"}"], Ge(0.05));
  EXPECT_THAT(samples[stages + "sum{stage=\"decode\"}"], Le(0.05));
}

TEST_F(MetricsTest, RejectionsHaveTheirReason) {
  ServerOptions options = Options();
  // gRPC's own quota, a quarter above, must not be what a call meets.
  options.max_inflight_bytes = 10'000'000;
  options.max_message_bytes = 200'000;
  const auto control = std::make_shared<FakeControl>();
  control->scratch_bytes = options.max_inflight_bytes;
  TestServer server(options, control);
  EXPECT_FALSE(BackgroundCall(server, IdentityRequest(49'000)).Wait().ok());
  EXPECT_FALSE(BackgroundCall(server, IdentityRequest(60'000)).Wait().ok());
  EXPECT_FALSE(BackgroundCall(server, IdentityRequest(60'001)).Wait().ok());
  Samples samples = Scrape(server);
  const std::string rejected = "stridecast_rejected_total{reason=";
  EXPECT_EQ(samples[rejected + "\"inflight_bytes\"}"], 1);
  EXPECT_EQ(samples[rejected + "\"message_bytes\"}"], 2);
  EXPECT_EQ(samples[rejected + "\"draining\"}"], 0);
  EXPECT_EQ(samples[rejected + "\"connections\"}"], 0);
  EXPECT_EQ(samples[rejected + "\"health\"}"], 0);
  EXPECT_EQ(samples[rejected + "\"reflection\"}"], 0);
  EXPECT_EQ(samples["stridecast_connections"], 1);
  EXPECT_EQ(samples["stridecast_connections_limit"], 1000);
}

// Whose process alone is larger than that: new connections wait.
TEST_F(MetricsTest, TellsThatMemoryGrows) {
  constexpr char kGrowing[] = "stridecast_memory_growing";
  TestServer server(Options());
  EXPECT_EQ(Scrape(server)[kGrowing], 0);
  ServerOptions options = Options();
  options.max_memory_bytes = 1'000'000;
  TestServer short_of_memory(options);
  EXPECT_TRUE(Becomes(short_of_memory, kGrowing, 1));
}

// By headers without end.
TEST_F(MetricsTest, TellsThatItIsFlooded) {
  constexpr char kFlooded[] = "stridecast_memory_flooded";
  ServerOptions options = Options();
  options.max_memory_bytes = 1'000'000;
  TestServer server(options);
  EXPECT_EQ(Scrape(server)[kFlooded], 0);
  const OwnedFd connection = ConnectTo(server.server().addresses().front());
  const std::string begin =
      absl::StrCat("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                   absl::string_view("\0\0\0\4\0\0\0\0\0", 9),   // SETTINGS
                   absl::string_view("\0\0\0\1\0\0\0\0\1", 9));  // HEADERS
  send(connection.get(), begin.data(), begin.size(), MSG_NOSIGNAL);
  // A field that is never indexed, of 1 + 1 + 1 + 1 + 120 bytes.
  const std::string field =
      absl::StrCat(absl::string_view("\x10\1x\x78", 4), std::string(120, 'x'));
  std::string frame("\0\x3e\0\x9\0\0\0\0\1", 9);  // CONTINUATION, 15872 bytes
  for (int i = 0; i < 128; ++i) frame += field;
  EXPECT_TRUE(WaitUntil([&] {
    for (int i = 0; i < 16; ++i) {
      send(connection.get(), frame.data(), frame.size(), MSG_NOSIGNAL);
    }
    return Scrape(server)[kFlooded] == 1;
  }));
}

// Of messages whose size nobody stated, 16 at least may be on their way, half
// of them on one connection.
TEST_F(MetricsTest, MessagesOfUnknownSizeAreBoundedByTheirBytes) {
  ServerOptions options = Options();
  options.max_inflight_bytes = 10'000'000;
  options.max_message_bytes = 1'000'000;
  TestServer server(options);
  Http2Client client(server.server().addresses()[0]);
  for (uint32_t call = 0; call < 18; ++call) {
    ASSERT_TRUE(client.StartCall(2 * call + 1, "Compute"));
  }
  const std::string rejected = "stridecast_rejected_total{reason=";
  EXPECT_TRUE(Becomes(server, rejected + "\"inflight_bytes\"}", 10));
  EXPECT_EQ(Scrape(server)[rejected + "\"inflight_calls\"}"], 0);
  EXPECT_TRUE(Becomes(server, "stridecast_inflight_calls", 8));
}

TEST_F(MetricsTest, AServerWithTlsSaysWhenItsCertificateEnds) {
  constexpr char kExpiry[] =
      "stridecast_tls_certificate_expiry_timestamp_seconds";
  {
    TestServer plaintext(Options());
    EXPECT_EQ(Scrape(plaintext).count(kExpiry), 0);
  }
  const Certificates& made = Certificates::Get();
  if (!made.are_made()) GTEST_SKIP() << "needs openssl";
  ServerOptions options = Options();
  options.tls_certificate = made.PemPath("server");
  options.tls_private_key = made.KeyPath("server");
  TestServer server(options);
  const double in_two_days =
      static_cast<double>(std::time(nullptr)) + 2 * 86'400;
  EXPECT_THAT(Scrape(server)[kExpiry],
              AllOf(Ge(in_two_days - 3600), Le(in_two_days)));
}

TEST_F(MetricsTest, FilesThatCannotBeUsedAreShown) {
  const Certificates& made = Certificates::Get();
  if (!made.are_made()) GTEST_SKIP() << "needs openssl";
  const std::string folder = ::testing::TempDir();
  const auto write = [&folder](const char* name, const std::string& text) {
    std::string path = absl::StrCat(folder, name, getpid());
    std::ofstream(path) << text;
    return path;
  };
  ServerOptions options = Options();
  options.tls_certificate = made.PemPath("server");
  options.tls_private_key = write("stale_key_", made.Key("server"));
  options.token_file = write("stale_tokens_", "secret\n");
  options.credentials_refresh_seconds = 1;
  TestServer server(options);
  const std::string tls = "stridecast_credentials_stale{files=\"tls\"}";
  const std::string tokens = "stridecast_credentials_stale{files=\"tokens\"}";
  EXPECT_EQ(Scrape(server)[tls], 0);
  EXPECT_EQ(Scrape(server)[tokens], 0);
  write("stale_key_", made.Key("client"));
  EXPECT_TRUE(Becomes(server, tls, 1));
  EXPECT_EQ(Scrape(server)[tokens], 0);
  write("stale_tokens_", "no token\n");
  EXPECT_TRUE(Becomes(server, tokens, 1));
  write("stale_key_", made.Key("server"));
  EXPECT_TRUE(Becomes(server, tls, 0));
  EXPECT_EQ(Scrape(server)[tokens], 1);
  std::filesystem::remove(options.tls_private_key);
  std::filesystem::remove(options.token_file);
}

// Neither those who say nothing, nor those who say little by little.
TEST_F(MetricsTest, SilentConnectionsKeepNobodyOut) {
  TestServer server(Options());
  const std::string address = server.server().metrics_address();
  std::vector<OwnedFd> silent;
  for (int i = 0; i < 100; ++i) {
    OwnedFd& fd = silent.emplace_back(ConnectTo(address));
    ASSERT_TRUE(fd.is_open());
    ASSERT_EQ(send(fd.get(), "GET /livez HTTP/1.1\r\nA", i % 2 ? 22 : 0, 0),
              i % 2 ? 22 : 0);
  }
  EXPECT_EQ(Get(server, "/livez")->body, "live\n");
  const auto is_closed = [](const OwnedFd& fd) {
    char byte;
    return recv(fd.get(), &byte, 1, MSG_DONTWAIT) == 0;
  };
  EXPECT_GE(std::count_if(silent.begin(), silent.end(), is_closed), 80);
  // More than may wait: some are closed at once, all in time.
  for (int i = 0; i < 400; ++i) silent[i % 100] = ConnectTo(address);
  EXPECT_TRUE(WaitUntil([&] {
    const httplib::Result result = Get(server, "/livez");
    return result && result->body == "live\n";
  }));
}

// Each is refused long before it is whole.
TEST_F(MetricsTest, RequestsWithoutEndAreCutOff) {
  constexpr size_t kMostBytes = 32 << 20;  // what sockets hold, and more
  TestServer server(Options());
  const std::string letters(8192, 'a');
  const struct {
    std::string head;
    std::string more;
  } kRows[] = {
      {"POST /metrics HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
       absl::StrCat("2000\r\n", letters, "\r\n")},
      {"GET /", letters},
      {"GET /livez HTTP/1.1\r\n", absl::StrCat("A: ", letters, "\r\n")}};
  for (const auto& row : kRows) {
    const OwnedFd fd = ConnectTo(server.server().metrics_address());
    std::string next = row.head;
    size_t num_sent = 0;
    while (num_sent < kMostBytes &&
           send(fd.get(), next.data(), next.size(), MSG_NOSIGNAL) > 0) {
      num_sent += next.size();
      next = row.more;
    }
    EXPECT_LT(num_sent, kMostBytes) << row.head;
  }
  EXPECT_EQ(Get(server, "/livez")->body, "live\n");
}

TEST_F(MetricsTest, RangesAreIgnored) {
  TestServer server(Options());
  std::string ranges = "bytes=0-";
  for (int i = 0; i < 1000; ++i) ranges += ",0-";
  const httplib::Result result =
      httplib::Client("http://" + server.server().metrics_address())
          .Get("/livez", {{"Range", ranges}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 200);
  EXPECT_EQ(result->body, "live\n");
}

TEST_F(MetricsTest, ProbesTellOfTheDrain) {
  ServerOptions options = Options();
  options.drain_delay_seconds = 1;
  TestServer server(options);
  EXPECT_EQ(Get(server, "/livez")->status, 200);
  EXPECT_EQ(Get(server, "/readyz")->status, 200);
  EXPECT_EQ(Scrape(server)["stridecast_ready"], 1);
  EXPECT_EQ(Get(server, "/")->status, 404);
  std::thread drain([&] { server.server().Drain(); });
  EXPECT_TRUE(WaitUntil([&] { return Get(server, "/readyz")->status == 503; }));
  EXPECT_EQ(Get(server, "/livez")->status, 200);
  EXPECT_EQ(Scrape(server)["stridecast_ready"], 0);
  drain.join();
}

TEST_F(MetricsTest, BuildAndProcess) {
  TestServer server(Options());
  const std::string text = Get(server, "/metrics")->body;
  EXPECT_THAT(text,
              HasSubstr(absl::StrCat("version=\"", kStridecastVersion, "\"")));
  EXPECT_THAT(text, HasSubstr("simd_target=\"AVX"));
  Samples samples = ParseSamples(text);
  EXPECT_THAT(samples["process_threads"], Ge(2));
  EXPECT_THAT(samples["process_resident_memory_bytes"], Ge(1 << 20));
  EXPECT_THAT(samples["process_open_fds"], Ge(3));
  EXPECT_THAT(samples["process_max_fds"], Ge(samples["process_open_fds"]));
  const double now = static_cast<double>(time(nullptr));
  EXPECT_THAT(samples["process_start_time_seconds"],
              AllOf(Ge(now - 3600), Le(now + 2)));
}

TEST_F(MetricsTest, APortThatIsTakenIsNamed) {
  TestServer first(Options());
  ServerOptions options = Options();
  options.metrics_listen = first.server().metrics_address();
  const absl::Status status = Server::Start(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(status.message(),
            absl::StrCat("--metrics-listen: cannot listen on ",
                         options.metrics_listen,
                         ": the address is in use or not this machine's"));
}

// proc(5); the name of the program may hold anything.
TEST(ProcessFiguresTest, ReadsWhatTheKernelWrites) {
  const auto figures = ParseProcessStat(
      "4711 (a) b (c) S 1 4711 4711 0 -1 4194560 100 0 0 0 "
      "250 50 0 0 20 0 17 0 1000 123456789 2048 18446744073709551615",
      1'700'000'000, 100, 4096);
  ASSERT_TRUE(figures.has_value());
  EXPECT_EQ(figures->cpu_seconds, 3.0);
  EXPECT_EQ(figures->num_threads, 17);
  EXPECT_EQ(figures->start_time_seconds, 1'700'000'010.0);
  EXPECT_EQ(figures->virtual_bytes, 123456789);
  EXPECT_EQ(figures->resident_bytes, 2048 * 4096);
  for (const char* text : {"", "4711", "4711 (x)", "4711 (x) S 1 2 3"}) {
    EXPECT_FALSE(ParseProcessStat(text, 0, 100, 4096).has_value()) << text;
  }
}

}  // namespace
}  // namespace stridecast::testing

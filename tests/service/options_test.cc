// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/options.h"

#include <initializer_list>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/memory_limit.h"
#include "server/version.h"

namespace stridecast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CommandLine Parse(std::initializer_list<const char*> flags) {
  std::vector<const char*> arguments = {"stridecast-server"};
  arguments.insert(arguments.end(), flags);
  return ParseCommandLine(static_cast<int>(arguments.size()), arguments.data());
}

TEST(OptionsTest, FlagsSetFields) {
  const CommandLine line = Parse(
      {"--listen", "127.0.0.1:0,unix:/tmp/s.sock", "--max-message-bytes=1MiB",
       "--unix-socket-mode=0600", "--max-result-bytes", "4096",
       "--max-inflight-bytes=2GB", "--max-idle-buffer-bytes=64MiB",
       "--max-concurrent-streams=7", "--plan-cache-entries=5", "--threads=3",
       "--simd-target=AVX2", "--default-deadline-seconds=9",
       "--drain-delay-seconds=0", "--drain-deadline-seconds=1",
       "--reflection=off", "--log-level=warning"});
  ASSERT_FALSE(line.exit_code.has_value()) << line.err;
  const ServerOptions& options = line.options;
  EXPECT_THAT(options.listen, ElementsAre("127.0.0.1:0", "unix:/tmp/s.sock"));
  EXPECT_EQ(options.unix_socket_mode, 0600);
  EXPECT_EQ(options.max_message_bytes, 1 << 20);
  EXPECT_EQ(options.max_result_bytes, 4096);
  EXPECT_EQ(options.max_inflight_bytes, 2'000'000'000);
  EXPECT_EQ(options.max_idle_buffer_bytes, 64 << 20);
  EXPECT_EQ(options.max_concurrent_streams, 7);
  EXPECT_EQ(options.plan_cache_entries, 5);
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.simd_target, "AVX2");
  EXPECT_EQ(options.default_deadline_seconds, 9);
  EXPECT_EQ(options.drain_delay_seconds, 0);
  EXPECT_EQ(options.drain_deadline_seconds, 1);
  EXPECT_FALSE(options.reflection);
  EXPECT_EQ(options.log_level, "warning");
}

TEST(OptionsTest, DefaultsAreValid) {
  const CommandLine line = Parse({});
  EXPECT_FALSE(line.exit_code.has_value()) << line.err;
  EXPECT_THAT(line.options.listen, ElementsAre("127.0.0.1:50051"));
  EXPECT_EQ(line.options.max_message_bytes, 64 << 20);
  EXPECT_EQ(line.options.max_result_bytes, 1 << 30);
  EXPECT_TRUE(line.options.reflection);
  const ServerOptions detected = WithDetectedValues(line.options);
  EXPECT_GT(detected.max_inflight_bytes, 0);
  EXPECT_LT(detected.max_inflight_bytes, UsableMemoryBytes());
  EXPECT_EQ(detected.max_idle_buffer_bytes, detected.max_inflight_bytes / 8);
}

struct BadFlag {
  const char* flag;
  const char* text;  // part of the message
};

TEST(OptionsTest, BadFlagsAreNamed) {
  const BadFlag cases[] = {
      {"--listen=", "--listen"},
      {"--listen=localhost", "\"localhost\": is none of host:port, unix:/path"},
      {"--listen=:50051", "\":50051\": is none of host:port, unix:/path"},
      {"--listen=127.0.0.1:99999", "the port is not a number from 0 to 65535"},
      {"--listen=127.0.0.1:+80", "the port is not a number from 0 to 65535"},
      {"--listen=127.0.0.1:", "the port is not a number from 0 to 65535"},
      {"--listen=0.0.0.0:1, [::]:2", "\" [::]:2\": neither a host nor"},
      {"--listen=127.0.0.1:http", "the port is not a number from 0 to 65535"},
      {"--listen=::1:50051", "an IPv6 host stands in brackets"},
      {"--listen=unix:relative", "the path of a socket must begin with /"},
      {"--listen=unix:/tmp/%73", "a path with %, which gRPC would decode"},
      {"--listen=unix:/tmp/s,unix:/tmp/s", "\"unix:/tmp/s\": given twice"},
      {"--listen=unix-abstract:", "a socket must have a name"},
      {"--unix-socket-mode=0888", "\"0888\" is no octal mode"},
      {"--unix-socket-mode=rw", "\"rw\" is no octal mode"},
      {"--unix-socket-mode=7777", "--unix-socket-mode: 4095 is outside [0, "},
      {"--max-message-bytes=10", "--max-message-bytes: 10 is outside [1024, "},
      {"--max-message-bytes=3GiB", "--max-message-bytes: 3221225472 is"},
      {"--max-message-bytes=lots", "--max-message-bytes"},
      {"--max-message-bytes=-1", "--max-message-bytes"},
      {"--max-result-bytes=0", "--max-result-bytes: 0 is outside [1, "},
      {"--max-idle-buffer-bytes=-1", "--max-idle-buffer-bytes"},
      {"--max-concurrent-streams=0", "--max-concurrent-streams: 0 is outside"},
      {"--plan-cache-entries=-1", "--plan-cache-entries: -1 is outside [0, "},
      {"--threads=-1", "--threads: -1 is outside [0, 4096]"},
      {"--threads=two", "--threads"},
      {"--default-deadline-seconds=0", "--default-deadline-seconds: 0 is"},
      {"--drain-delay-seconds=-1", "--drain-delay-seconds: -1 is"},
      {"--drain-deadline-seconds=-1", "--drain-deadline-seconds: -1 is"},
      {"--reflection=perhaps", "--reflection"},
      {"--log-level=loud", "--log-level: \"loud\" is none of"},
      {"--no-such-flag", "--no-such-flag"},
      {"stray", "stray"},
  };
  for (const BadFlag& bad : cases) {
    const CommandLine line = Parse({bad.flag});
    EXPECT_EQ(line.exit_code, kExitBadUsage) << bad.flag;
    EXPECT_THAT(line.err, HasSubstr(bad.text)) << bad.flag;
    EXPECT_THAT(line.out, IsEmpty()) << bad.flag;
  }
  const std::string long_path = "--listen=unix:/" + std::string(108, 'x');
  EXPECT_THAT(Parse({long_path.c_str()}).err,
              HasSubstr("the path has 109 bytes, a socket's at most 107"));
  const std::string long_name =
      "--listen=unix-abstract:" + std::string(108, 'x');
  EXPECT_THAT(Parse({long_name.c_str()}).err,
              HasSubstr("the name has 108 bytes, a socket's at most 107"));
}

TEST(OptionsTest, AddressesThatAreAccepted) {
  for (const char* flag :
       {"--listen=localhost:0", "--listen=[::1]:50051", "--listen=0.0.0.0:1",
        "--listen=unix:/run/stridecast.sock", "--listen=unix-abstract:s",
        "--listen=127.0.0.1:0,127.0.0.1:0"}) {
    EXPECT_FALSE(Parse({flag}).exit_code.has_value()) << flag;
  }
}

// As it is typed: what is printed may be given again.
TEST(OptionsTest, PrintedConfigHasModesInOctal) {
  EXPECT_THAT(Parse({"--print-config"}).out,
              HasSubstr("unix-socket-mode=0660"));
  EXPECT_THAT(Parse({"--print-config", "--unix-socket-mode=0640"}).out,
              HasSubstr("unix-socket-mode=0640"));
}

TEST(OptionsTest, HelpHasEveryFlagWithDefaultAndUnit) {
  const CommandLine line = Parse({"--help"});
  EXPECT_EQ(line.exit_code, 0);
  for (const char* text :
       {"--listen ADDRESS=127.0.0.1:50051", "--unix-socket-mode MODE=0660",
        "--max-message-bytes BYTES=67108864",
        "--max-result-bytes BYTES=1073741824", "--max-inflight-bytes BYTES=0",
        "--max-idle-buffer-bytes BYTES=0", "--max-concurrent-streams CALLS=128",
        "--plan-cache-entries PLANS=128", "--threads THREADS=0",
        "--simd-target NAME", "--default-deadline-seconds SECONDS=300",
        "--drain-delay-seconds SECONDS=5",
        "--drain-deadline-seconds SECONDS=30", "--reflection on|off=on",
        "--log-level NAME=info", "--print-config", "--version"}) {
    EXPECT_THAT(line.out, HasSubstr(text));
  }
}

TEST(OptionsTest, Version) {
  const CommandLine line = Parse({"--version"});
  EXPECT_EQ(line.exit_code, 0);
  EXPECT_EQ(line.out,
            std::string("stridecast-server ") + kStridecastVersion + "\n");
}

TEST(OptionsTest, PrintConfigShowsWhatIsInEffect) {
  const CommandLine line = Parse({"--threads=3", "--print-config"});
  EXPECT_EQ(line.exit_code, 0);
  EXPECT_THAT(line.out, HasSubstr("threads=3"));
  EXPECT_THAT(line.out, HasSubstr("max-message-bytes=67108864"));
}

TEST(MemoryLimitTest, TextOfLimits) {
  EXPECT_EQ(ParseMemoryLimit("536870912\n"), 536870912);
  EXPECT_EQ(ParseMemoryLimit("max\n"), std::nullopt);
  EXPECT_EQ(ParseMemoryLimit(""), std::nullopt);
}

TEST(MemoryLimitTest, FilesFromOwnGroupToTop) {
  EXPECT_THAT(MemoryLimitFiles("0::/\n"),
              ElementsAre("/sys/fs/cgroup/memory.max"));
  EXPECT_THAT(
      MemoryLimitFiles("0::/a/b\n"),
      ElementsAre("/sys/fs/cgroup/a/b/memory.max",
                  "/sys/fs/cgroup/a/memory.max", "/sys/fs/cgroup/memory.max"));
  EXPECT_THAT(MemoryLimitFiles("5:cpu:/c\n4:memory:/d\n"),
              ElementsAre("/sys/fs/cgroup/memory/d/memory.limit_in_bytes",
                          "/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  EXPECT_THAT(MemoryLimitFiles(""), IsEmpty());
}

}  // namespace
}  // namespace stridecast

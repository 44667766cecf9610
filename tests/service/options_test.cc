// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/command_line.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/exec/cpus.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/memory_limit.h"
#include "server/options.h"
#include "server/version.h"
#include "tests/service/command_line_testing.h"

namespace stridecast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(OptionsTest, FlagsSetFields) {
  const CommandLine line = Parse({"--listen",
                                  "127.0.0.1:0,unix:/tmp/s.sock",
                                  "--max-message-bytes=1MiB",
                                  "--unix-socket-mode=0600",
                                  "--max-result-bytes",
                                  "4096",
                                  "--max-inflight-bytes=2GB",
                                  "--max-idle-buffer-bytes=64MiB",
                                  "--max-memory-bytes=3GB",
                                  "--max-concurrent-streams=7",
                                  "--max-inflight-calls=8",
                                  "--max-connections=14",
                                  "--max-instructions=9",
                                  "--max-grpc-threads=10",
                                  "--max-connection-idle-seconds=11",
                                  "--max-connection-age-seconds=12",
                                  "--max-connection-age-grace-seconds=13",
                                  "--keepalive-seconds=14",
                                  "--plan-cache-entries=5",
                                  "--threads=3",
                                  "--simd-target=AVX2",
                                  "--default-deadline-seconds=9",
                                  "--drain-delay-seconds=0",
                                  "--drain-deadline-seconds=1",
                                  "--reflection=off",
                                  "--log-level=warning",
                                  "--log-format=json",
                                  "--metrics-listen=127.0.0.1:0"});
  ASSERT_FALSE(line.exit_code.has_value()) << line.err;
  const ServerOptions& options = line.options;
  EXPECT_THAT(options.listen, ElementsAre("127.0.0.1:0", "unix:/tmp/s.sock"));
  EXPECT_EQ(options.unix_socket_mode, 0600);
  EXPECT_EQ(options.max_message_bytes, 1 << 20);
  EXPECT_EQ(options.max_result_bytes, 4096);
  EXPECT_EQ(options.max_inflight_bytes, 2'000'000'000);
  EXPECT_EQ(options.max_idle_buffer_bytes, 64 << 20);
  EXPECT_EQ(options.max_concurrent_streams, 7);
  EXPECT_EQ(options.max_memory_bytes, 3'000'000'000);
  EXPECT_EQ(options.max_inflight_calls, 8);
  EXPECT_EQ(options.max_instructions, 9);
  EXPECT_EQ(options.max_grpc_threads, 10);
  EXPECT_EQ(options.max_connections, 14);
  EXPECT_EQ(options.max_connection_idle_seconds, 11);
  EXPECT_EQ(options.max_connection_age_seconds, 12);
  EXPECT_EQ(options.max_connection_age_grace_seconds, 13);
  EXPECT_EQ(options.keepalive_seconds, 14);
  EXPECT_EQ(options.plan_cache_entries, 5);
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.simd_target, "AVX2");
  EXPECT_EQ(options.default_deadline_seconds, 9);
  EXPECT_EQ(options.drain_delay_seconds, 0);
  EXPECT_EQ(options.drain_deadline_seconds, 1);
  EXPECT_FALSE(options.reflection);
  EXPECT_EQ(options.log_level, "warning");
  EXPECT_EQ(options.log_format, "json");
  EXPECT_EQ(options.metrics_listen, "127.0.0.1:0");
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
  EXPECT_EQ(detected.max_memory_bytes, DefaultMemoryBytes(UsableMemoryBytes()));
}

TEST(OptionsTest, SmallProcessesLeaveMoreOfTheirMemory) {
  constexpr int64_t kMiB = 1 << 20;
  EXPECT_EQ(DefaultMemoryBytes(4096 * kMiB), 3072 * kMiB);
  EXPECT_EQ(DefaultMemoryBytes(192 * kMiB), 144 * kMiB);
  EXPECT_EQ(DefaultMemoryBytes(128 * kMiB), 80 * kMiB);
  EXPECT_EQ(DefaultMemoryBytes(64 * kMiB), 32 * kMiB);
}

TEST(OptionsTest, TheBudgetFitsIntoMemoryThatIsSet) {
  ServerOptions options;
  options.max_memory_bytes = 64 << 20;
  const ServerOptions detected = WithDetectedValues(options);
  EXPECT_EQ(detected.max_inflight_bytes, 32 << 20);
  EXPECT_LT(GreatestUseBytes(detected), 64 << 20);
}

// Where a budget is asked for that needs more: but some is left.
TEST(OptionsTest, MemoryHasRoomForTheBudget) {
  ServerOptions options;
  const int64_t usable = UsableMemoryBytes();
  options.max_inflight_bytes = usable / 8 * 5;
  options.max_idle_buffer_bytes = 1;
  EXPECT_EQ(WithDetectedValues(options).max_memory_bytes,
            options.max_inflight_bytes + options.max_inflight_bytes / 4 + 1);
  options.max_inflight_bytes = usable;
  EXPECT_EQ(WithDetectedValues(options).max_memory_bytes, usable / 16 * 15);
  options.max_memory_bytes = 5;
  EXPECT_EQ(WithDetectedValues(options).max_memory_bytes, 5);
}

// As many as have room with all their calls.
TEST(OptionsTest, ConnectionsHaveRoomForTheirCalls) {
  ServerOptions options;
  options.max_concurrent_streams = 100;
  const auto connections_in = [&options](int64_t memory_bytes) {
    options.max_memory_bytes = memory_bytes;
    return WithDetectedValues(options).max_connections;
  };
  constexpr int64_t kMiB = 1 << 20;
  EXPECT_EQ(connections_in((32 << 20) + 50 * (1400 << 10)), 50);
  EXPECT_EQ(connections_in(40 * kMiB), 16);
  EXPECT_EQ(connections_in(1'000'000 * kMiB), 1000);
  options.max_connections = 70;
  EXPECT_EQ(connections_in(40 * kMiB), 70);
}

struct BadFlag {
  const char* flag;
  const char* text;  // part of the message
};

TEST(OptionsTest, BadFlagsAreNamed) {
  const BadFlag cases[] = {
      {"--listen=", "--listen: a value is missing"},
      {"--listen", "--listen: a value is missing"},
      {"--listen=,", "--listen: \",\" has an empty item"},
      {"--listen=127.0.0.1:1,,[::1]:2", "[::1]:2\" has an empty item"},
      {"--listen=localhost", "\"localhost\": is none of host:port, unix:/path"},
      {"--listen=:50051", "\":50051\": is none of host:port, unix:/path"},
      {"--listen=127.0.0.1:99999", "the port is not a number from 0 to 65535"},
      {"--listen=127.0.0.1:+80", "the port is not a number from 0 to 65535"},
      {"--listen=127.0.0.1:", "the port is not a number from 0 to 65535"},
      {"--listen=127.0.0.1:http", "the port is not a number from 0 to 65535"},
      {"--listen=::1:50051", "an IPv6 host stands in brackets"},
      {"--listen=1.2.3.400:1", "\"1.2.3.400\" is no address of IPv4"},
      {"--listen=[::zz]:1", "\"::zz\" is no address of IPv6"},
      {"--listen=[1.2.3.4]:1", "\"1.2.3.4\" is no address of IPv6"},
      {"--listen=host/path:1", "a host has letters, digits, dots, dashes"},
      {"--listen=unix:relative", "the path of a socket must begin with /"},
      {"--listen=unix:/tmp/%73", "a path with %, which gRPC would decode"},
      {"--listen=unix:/tmp/s,unix:/tmp/s", "\"unix:/tmp/s\": given twice"},
      {"--listen=unix-abstract:", "a socket must have a name"},
      {"--unix-socket-mode=0888", "\"0888\" is no octal mode"},
      {"--unix-socket-mode=rw", "\"rw\" is no octal mode"},
      {"--unix-socket-mode=7777",
       "--unix-socket-mode: \"7777\" is more than 0777"},
      {"--max-message-bytes=10", "--max-message-bytes: 10 is outside [1024, "},
      {"--max-message-bytes=3GiB", "--max-message-bytes: 3221225472 is"},
      {"--max-message-bytes=99999999999999999999",
       "--max-message-bytes: \"99999999999999999999\" is more than 9223372036"},
      {"--max-message-bytes=9999999999GiB", "\"9999999999GiB\" is more than"},
      {"--max-connections=99999999999999999999",
       "\"99999999999999999999\" is more"},
      {"--max-message-bytes=lots",
       "--max-message-bytes: \"lots\" is no number of bytes, such as 65536, "},
      {"--max-message-bytes=1QiB", "\"1QiB\" is no number of bytes"},
      {"--max-message-bytes=1.5MiB", "\"1.5MiB\" is no number of bytes"},
      {"--max-message-bytes=MiB", "\"MiB\" is no number of bytes"},
      {"--max-message-bytes=1MiBB", "\"1MiBB\" is no number of bytes"},
      {"--max-inflight-bytes=65535", "65535 is outside [65536, "},
      {"--max-message-bytes=-1", "--max-message-bytes"},
      {"--max-result-bytes=0", "--max-result-bytes: 0 is outside [1, "},
      {"--max-idle-buffer-bytes=-1", "--max-idle-buffer-bytes"},
      {"--max-concurrent-streams=0", "--max-concurrent-streams: 0 is outside"},
      {"--max-inflight-calls=0", "--max-inflight-calls: 0 is outside [1, "},
      {"--max-instructions=257", "--max-instructions: 257 is outside [1, 256]"},
      {"--max-grpc-threads=3", "--max-grpc-threads: 3 is outside [4, 4096]"},
      {"--max-connection-idle-seconds=-1", "--max-connection-idle-seconds"},
      {"--max-connection-age-seconds=86401", "is outside [0, 86400]"},
      {"--max-connection-age-grace-seconds=-1", "-1 is outside [0, 86400]"},
      {"--keepalive-seconds=0", "--keepalive-seconds: 0 is outside [1, "},
      {"--flag-file=/no/such", "/no/such was not readable"},
      {"--plan-cache-entries=-1", "--plan-cache-entries: -1 is outside [0, "},
      {"--threads=-1", "--threads: -1 is outside [0, 4096]"},
      {"--threads=two", "--threads: \"two\" is no whole decimal number"},
      {"--threads=--", "--threads: \"--\" is no whole decimal number"},
      {"--default-deadline-seconds=0", "--default-deadline-seconds: 0 is"},
      {"--drain-delay-seconds=-1", "--drain-delay-seconds: -1 is"},
      {"--drain-deadline-seconds=-1", "--drain-deadline-seconds: -1 is"},
      {"--reflection=perhaps", "\"perhaps\" is neither on nor off"},
      {"--log-level=loud", "--log-level: \"loud\" is none of"},
      {"--listen=0.0.0.0:1", "0.0.0.0:1 serves other machines in the clear"},
      {"--listen=127.0.0.1:1,[::]:1", "[::]:1 serves other machines"},
      {"--listen=127.0.0.1.example:1", "serves other machines"},
      {"--listen=box:1", "box:1 serves other machines"},
      {"--token-file=/t", "127.0.0.1:50051 would carry tokens in the clear"},
      {"--tls-certificate=/c", "one needs the other"},
      {"--tls-private-key=/k", "one needs the other"},
      {"--tls-client-ca=/a", "--tls-client-ca: needs --tls-certificate"},
      {"--credentials-refresh-seconds=0", "0 is outside [1, 86400]"},
      {"--health-needs-token=perhaps",
       "--health-needs-token: \"perhaps\" is neither on nor off"},
      {"--log-format=xml", "--log-format: \"xml\" is neither text nor json"},
      {"--metrics-listen=unix:/m",
       "--metrics-listen: \"unix:/m\": is neither host:port nor off"},
      {"--metrics-listen=9464", "\"9464\": is neither host:port nor off"},
      {"--metrics-listen=:9464", "\":9464\": is neither host:port nor off"},
      {"--metrics-listen=127.0.0.1:50051",
       "--metrics-listen: \"127.0.0.1:50051\": --listen has it"},
      {"--metrics-listen=1.2.3:x", "the port is not a number from 0 to 65535"},
      {"--simd-target=MMX", "--simd-target: \"MMX\" is none that this CPU"},
      {"--health-needs-token", "--health-needs-token: needs --token-file"},
      {"--threads=", "--threads: a value is missing"},
      {"--simd-target", "--simd-target: a value is missing"},
      {"--log-level=trace", "\"trace\" is none of debug, info, warning,"},
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

TEST(OptionsTest, SwitchesAreOnByTheirNames) {
  const struct {
    std::vector<const char*> flags;
    bool reflection;
    bool channelz;
  } kRows[] = {
      {{}, true, false},
      {{"--channelz"}, true, true},
      {{"--channelz", "--reflection"}, true, true},
      {{"--reflection=off", "--channelz=on"}, false, true},
      {{"--channelz", "on", "--reflection", "off"}, false, true},
      {{"--channelz", "off", "--threads", "2"}, true, false},
      {{"--reflection=FALSE", "--channelz=yes"}, false, true},
  };
  for (const auto& row : kRows) {
    const CommandLine line = Parse(row.flags);
    EXPECT_FALSE(line.exit_code.has_value()) << line.err;
    EXPECT_EQ(line.options.reflection, row.reflection);
    EXPECT_EQ(line.options.channelz, row.channelz);
  }
}

TEST(OptionsTest, AFlagIsNoValueAndComesOnce) {
  const struct {
    std::vector<const char*> flags;
    const char* text;
  } kRows[] = {
      {{"--listen", "--print-config"}, "--listen: a value is missing"},
      {{"--threads", "--reflection"}, "--threads: a value is missing"},
      {{"--channelz", "stray"}, "\"stray\" is neither on nor off"},
      {{"--threads=1", "--threads", "1"}, "--threads: given twice"},
      {{"--channelz", "--channelz=off"}, "--channelz: given twice"},
  };
  for (const auto& row : kRows) {
    const CommandLine line = Parse(row.flags);
    EXPECT_EQ(line.exit_code, kExitBadUsage) << row.text;
    EXPECT_THAT(line.err, HasSubstr(row.text));
  }
  EXPECT_THAT(Parse({"--listen=127.0.0.1:1", "--listen", "[::1]:2, unix:/s"})
                  .options.listen,
              ElementsAre("127.0.0.1:1", "[::1]:2", "unix:/s"));
}

TEST(OptionsTest, BytesMayHaveAUnit) {
  const struct {
    const char* text;
    int64_t bytes;
  } kRows[] = {{"65536", 65'536},          {"65536b", 65'536},
               {"100k", 100'000},          {"100kB", 100'000},
               {"100Ki", 102'400},         {"100 KiB", 102'400},
               {"7MB", 7'000'000},         {"7mib", 7'340'032},
               {"3GB", 3'000'000'000},     {"3GiB", 3'221'225'472},
               {"2TiB", int64_t{2} << 40}, {"1PB", 1'000'000'000'000'000},
               {"3EiB", int64_t{3} << 60}};
  for (const auto& row : kRows) {
    const std::string flag = absl::StrCat("--max-inflight-bytes=", row.text);
    EXPECT_EQ(Parse({flag.c_str()}).options.max_inflight_bytes, row.bytes)
        << row.text;
  }
}

TEST(OptionsTest, AddressesThatAreAccepted) {
  for (const char* flag :
       {"--listen=localhost:0", "--listen=[::1]:50051", "--listen=127.9.8.7:1",
        "--listen=unix:/run/stridecast.sock", "--listen=unix-abstract:s",
        "--listen=127.0.0.1:0,127.0.0.1:0"}) {
    EXPECT_FALSE(Parse({flag}).exit_code.has_value()) << flag;
  }
}

TEST(OptionsTest, WhatOtherMachinesMayHave) {
  const std::vector<std::vector<const char*>> kGood = {
      {"--listen=0.0.0.0:1", "--allow-plaintext"},
      {"--listen=0.0.0.0:1", "--allow-plaintext=on", "--threads=1"},
      {"--allow-plaintext", "--listen=0.0.0.0:1"},
      {"--listen=0.0.0.0:1", "--tls-certificate=/c", "--tls-private-key=/k"},
      {"--listen=[::]:1", "--tls-certificate=/c", "--tls-private-key=/k",
       "--tls-client-ca=/a", "--token-file=/t"},
      {"--listen=unix:/s,unix-abstract:s", "--token-file=/t"}};
  for (const auto& flags : kGood) {
    const CommandLine line = Parse(flags);
    EXPECT_FALSE(line.exit_code.has_value()) << line.err;
  }
  EXPECT_TRUE(Parse({"--allow-plaintext"}).options.allow_plaintext);
  EXPECT_FALSE(Parse({"--allow-plaintext=off"}).options.allow_plaintext);
  // A token must never be read along, whatever else is allowed.
  EXPECT_EQ(
      Parse({"--listen=0.0.0.0:1", "--allow-plaintext", "--token-file=/t"})
          .exit_code,
      kExitBadUsage);
  EXPECT_EQ(
      Parse({"--listen=unix:/s,127.0.0.1:1", "--token-file=/t"}).exit_code,
      kExitBadUsage);
}

// As it is typed: what is printed may be given again.
TEST(OptionsTest, PrintedConfigHasModesInOctal) {
  EXPECT_THAT(Parse({"--print-config"}).out,
              HasSubstr("unix-socket-mode=0660"));
  EXPECT_THAT(Parse({"--print-config", "--unix-socket-mode=0640"}).out,
              HasSubstr("unix-socket-mode=0640"));
}

// For whoever reads it: given again, the file detects again.
TEST(OptionsTest, PrintedConfigTellsWhatWasDetected) {
  const ServerOptions detected = WithDetectedValues(ServerOptions());
  const CommandLine line = Parse({"--print-config"});
  EXPECT_THAT(line.out,
              HasSubstr(absl::StrCat(
                  "# 0 stands here for\n# max-inflight-bytes=",
                  detected.max_inflight_bytes,
                  "\n# max-idle-buffer-bytes=", detected.max_idle_buffer_bytes,
                  "\n# max-memory-bytes=", detected.max_memory_bytes,
                  "\n# max-connections=", detected.max_connections,
                  "\n# threads=", UsableCpus())));
  EXPECT_THAT(line.out, HasSubstr("\nmax-memory-bytes=0\n"));
  EXPECT_THAT(Parse({"--print-config", "--threads=3", "--max-memory-bytes=1GiB",
                     "--max-inflight-bytes=1GiB", "--max-idle-buffer-bytes=1",
                     "--max-connections=5"})
                  .out,
              Not(HasSubstr("#")));
}

TEST(OptionsTest, MemoryIsMoreThanAnIdleProcessHas) {
  EXPECT_FALSE(Parse({"--max-memory-bytes=48MiB"}).exit_code.has_value());
  const CommandLine line = Parse({"--max-memory-bytes=50331647"});
  EXPECT_EQ(line.exit_code, kExitBadUsage);
  EXPECT_THAT(line.err, HasSubstr("--max-memory-bytes"));
  EXPECT_THAT(line.err, HasSubstr("50331648"));
}

TEST(OptionsTest, HelpHasEveryFlagWithDefaultAndUnit) {
  const CommandLine line = Parse({"--help"});
  EXPECT_EQ(line.exit_code, 0);
  for (const char* text :
       {"--listen ADDRESS=127.0.0.1:50051", "--unix-socket-mode MODE=0660",
        "--max-message-bytes BYTES=67108864",
        "--max-result-bytes BYTES=1073741824", "--max-inflight-bytes BYTES=0",
        "--max-idle-buffer-bytes BYTES=0", "--max-concurrent-streams CALLS=128",
        "--max-memory-bytes BYTES=0", "--plan-cache-entries PLANS=128",
        "--threads THREADS=0", "--simd-target NAME",
        "--default-deadline-seconds SECONDS=300",
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

// Lines as the kernel writes them.
TEST(MemoryLimitTest, SocketBytesOfAMemoryStat) {
  EXPECT_EQ(ParseSocketBytes("anon 8192\nfile 4096\nkernel 300\nsock 1069056\n"
                             "vmalloc 0\nshmem 77\n"),
            1069056);
  EXPECT_EQ(ParseSocketBytes("anon 8192\nsock_dummy 5\n"), 0);
  EXPECT_EQ(ParseSocketBytes(""), 0);
}

}  // namespace
}  // namespace stridecast

// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/tls_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/certificates.h"

namespace stridecast::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class TlsFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!made_.are_made()) GTEST_SKIP() << "needs openssl";
    Write(paths_.certificate_chain, made_.Pem("server"));
    Write(paths_.private_key, made_.Key("server"));
    Write(paths_.client_authorities, made_.Pem("ca"));
  }
  ~TlsFilesTest() override {
    for (const std::string* path :
         {&paths_.certificate_chain, &paths_.private_key,
          &paths_.client_authorities}) {
      unlink(path->c_str());
    }
  }

  static void Write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
  }
  static std::string Path(const char* name) {
    return absl::StrCat(::testing::TempDir(), "stridecast_", getpid(), name);
  }
  // Never refreshed by itself.
  static absl::StatusOr<std::unique_ptr<TlsFiles>> Open(
      const TlsFiles::Paths& paths) {
    return TlsFiles::Open(paths, std::chrono::hours(1));
  }

  const Certificates& made_ = Certificates::Get();
  const TlsFiles::Paths paths_{Path("certificate"), Path("key"), Path("ca")};
};

TEST_F(TlsFilesTest, HasWhatTheFilesHave) {
  const auto files = Open(paths_);
  ASSERT_TRUE(files.ok()) << files.status();
  const auto identity = (*files)->identity();
  EXPECT_EQ(identity->certificate_chain, made_.Pem("server"));
  EXPECT_EQ(identity->private_key, made_.Key("server"));
  EXPECT_EQ(identity->client_authorities, made_.Pem("ca"));
  EXPECT_EQ((*files)->Refresh(), absl::OkStatus());
  EXPECT_EQ((*files)->identity(), identity) << "the same object";
}

TEST_F(TlsFilesTest, ClientsAreAskedOnlyIfThereIsAFile) {
  TlsFiles::Paths paths = paths_;
  paths.client_authorities.clear();
  const auto files = Open(paths);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ((*files)->identity()->client_authorities, "");
}

TEST_F(TlsFilesTest, AChainHasSeveralCertificates) {
  Write(paths_.certificate_chain,
        "Issued for tensors.example\n" + made_.Pem("server") + made_.Pem("ca"));
  Write(paths_.client_authorities, made_.Pem("ca") + "\n" + made_.Pem("other"));
  EXPECT_EQ(Open(paths_).status(), absl::OkStatus());
}

// Certificates are made for one or two days, some minutes ago at most.
TEST_F(TlsFilesTest, AChainEndsWithTheFirstOfIt) {
  using std::chrono::hours;
  const auto hours_left = [&] {
    const auto files = Open(paths_);
    EXPECT_EQ(files.status(), absl::OkStatus());
    if (!files.ok()) return hours(-1);
    return std::chrono::duration_cast<hours>((*files)->identity()->expiry -
                                             std::chrono::system_clock::now());
  };
  EXPECT_EQ(hours_left(), hours(47));
  Write(paths_.certificate_chain, made_.Pem("server") + made_.Pem("stranger"));
  EXPECT_EQ(hours_left(), hours(23));
  Write(paths_.certificate_chain, made_.Pem("stranger") + made_.Pem("ca"));
  Write(paths_.private_key, made_.Key("stranger"));
  EXPECT_EQ(hours_left(), hours(23));
}

TEST_F(TlsFilesTest, FaultsNameTheFlagAndTheFile) {
  const std::string whole = made_.Pem("server");
  const std::string cut = whole.substr(0, whole.size() / 2);
  const std::string encrypted =
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n"
      "-----END ENCRYPTED PRIVATE KEY-----\n";
  const std::string& chain = paths_.certificate_chain;
  const std::string& key = paths_.private_key;
  const std::string& authorities = paths_.client_authorities;
  const struct {
    const std::string& path;
    std::string text;
    const char* flag;
    const char* what;
  } kRows[] = {
      {chain, "", "--tls-certificate: ", "no readable PEM chain"},
      {chain, "nonsense", "--tls-certificate: ", "no readable PEM chain"},
      {chain, cut, "--tls-certificate: ", "no readable PEM chain"},
      {chain, whole + cut, "--tls-certificate: ", "no readable PEM chain"},
      {chain, std::string(1, '\0') + whole,
       "--tls-certificate: ", "no readable PEM chain"},
      {chain, made_.Key("server"),
       "--tls-certificate: ", "no readable PEM chain"},
      {chain, made_.Pem("client"),
       "--tls-private-key: ", "key of the certificate (key values mismatch)"},
      {key, "", "--tls-private-key: ", "no readable PEM key"},
      {key, "nonsense", "--tls-private-key: ", "no readable PEM key"},
      {key, encrypted, "--tls-private-key: ", "no readable PEM key"},
      {key, made_.Key("client"), "--tls-private-key: ", "mismatch"},
      {authorities, "", "--tls-client-ca: ", "no readable PEM certificates"},
      {authorities, made_.Pem("ca") + cut,
       "--tls-client-ca: ", "no readable PEM certificates"},
      {authorities, made_.Key("ca"),
       "--tls-client-ca: ", "no readable PEM certificates"},
  };
  const auto files = Open(paths_);
  ASSERT_TRUE(files.ok()) << files.status();
  const auto former = (*files)->identity();
  for (const auto& row : kRows) {
    SCOPED_TRACE(absl::StrCat(row.flag, row.what, ": ", row.text));
    Write(row.path, row.text);
    for (const absl::Status& status :
         {Open(paths_).status(), (*files)->Refresh()}) {
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
      EXPECT_THAT(std::string(status.message()),
                  AllOf(HasSubstr(row.flag), HasSubstr(row.what)));
    }
    EXPECT_EQ((*files)->identity(), former);
    SetUp();
  }
  for (const std::string& path : {chain, key, authorities}) {
    unlink(path.c_str());
    EXPECT_THAT(std::string((*files)->Refresh().message()),
                HasSubstr(absl::StrCat("\"", path, "\" cannot be read")));
    // Nobody writes into it.
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_THAT(std::string((*files)->Refresh().message()),
                HasSubstr(absl::StrCat("\"", path, "\" cannot be read")));
    unlink(path.c_str());
    EXPECT_EQ((*files)->identity(), former);
    SetUp();
  }
  EXPECT_EQ((*files)->Refresh(), absl::OkStatus());
}

TEST_F(TlsFilesTest, AnExpiredChainDoesNotReplaceOneInEffect) {
  const auto files = Open(paths_);
  ASSERT_TRUE(files.ok()) << files.status();
  Write(paths_.certificate_chain, made_.Pem("expired"));
  Write(paths_.private_key, made_.Key("expired"));
  EXPECT_EQ((*files)->Refresh(),
            absl::InvalidArgumentError(absl::StrCat("--tls-certificate: \"",
                                                    paths_.certificate_chain,
                                                    "\" has expired")));
  EXPECT_EQ((*files)->identity()->certificate_chain, made_.Pem("server"));
  // Who has nothing else begins with it: clients refuse it, probes may not.
  EXPECT_EQ(Open(paths_).status(), absl::OkStatus());
}

TEST_F(TlsFilesTest, FilesMayChangeOneAfterTheOther) {
  const auto files = Open(paths_);
  ASSERT_TRUE(files.ok()) << files.status();
  const auto former = (*files)->identity();
  Write(paths_.private_key, made_.Key("stranger"));
  EXPECT_FALSE((*files)->is_stale());
  EXPECT_FALSE((*files)->Refresh().ok());
  EXPECT_TRUE((*files)->is_stale());
  EXPECT_EQ((*files)->identity(), former);
  Write(paths_.certificate_chain, made_.Pem("stranger"));
  EXPECT_EQ((*files)->Refresh(), absl::OkStatus());
  EXPECT_FALSE((*files)->is_stale());
  EXPECT_EQ((*files)->identity()->certificate_chain, made_.Pem("stranger"));
  EXPECT_EQ((*files)->identity()->private_key, made_.Key("stranger"));
  Write(paths_.client_authorities, made_.Pem("other"));
  EXPECT_EQ((*files)->Refresh(), absl::OkStatus());
  EXPECT_EQ((*files)->identity()->client_authorities, made_.Pem("other"));
}

}  // namespace
}  // namespace stridecast::testing

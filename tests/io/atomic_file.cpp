// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A file appears whole, or its place keeps what it had, whatever that is.

#include <filesystem>
#include <string>

#include <sys/stat.h>

#include <snack/io/atomic_file.hpp>
#include <tests/io/scratch_folder.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using io::AtomicFile;
using tests::read_file;
using tests::text_of;

TEST_CASE("a file that is not committed leaves no trace", "[io][atomic_file]") {
    const tests::ScratchFolder folder;
    tests::write_file(folder.file("a"), "before");

    { AtomicFile(folder.file("a")).write("after"); }
    { AtomicFile(folder.file("b")).write("after"); }

    CHECK(read_file(folder.file("a")) == "before");
    CHECK(folder.files() == 1);
}

TEST_CASE("a file may have any name that its folder takes", "[io][atomic_file]") {
    const tests::ScratchFolder folder;
    const std::string name = folder.file(std::string(255, 'n'));

    AtomicFile(name).commit();

    CHECK(std::filesystem::is_regular_file(name));
    CHECK(folder.files() == 1);
}

TEST_CASE("what is no regular file is not replaced by one", "[io][atomic_file]") {
    const tests::ScratchFolder folder;
    const std::string pipe = folder.file("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::filesystem::create_directory(folder.file("folder"));

    CHECK(text_of<FileError>([&] { AtomicFile(pipe).commit(); }) == pipe + ": cannot write: not a regular file");
    CHECK_THROWS_AS(AtomicFile(folder.file("folder")), FileError);

    CHECK(std::filesystem::is_fifo(pipe));
    CHECK(folder.files() == 2);
}

TEST_CASE("a file leaves its permissions to the one that replaces it, also through a link, which is replaced",
          "[io][atomic_file]") {
    const tests::ScratchFolder folder;
    tests::write_file(folder.file("a"), "before");
    REQUIRE(::chmod(folder.file("a").c_str(), 0640) == 0);
    std::filesystem::create_symlink("a", folder.file("link"));
    AtomicFile file(folder.file("link"));
    file.write("after");

    file.commit();

    CHECK(read_file(folder.file("a")) == "before");
    CHECK(read_file(folder.file("link")) == "after");
    CHECK(std::filesystem::symlink_status(folder.file("link")).type() == std::filesystem::file_type::regular);
    CHECK(static_cast<int>(std::filesystem::status(folder.file("link")).permissions()) == 0640);
}

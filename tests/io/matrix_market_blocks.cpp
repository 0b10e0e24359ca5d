// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Files of several blocks: threads share them, and neither the entries nor the errors depend on how.

#include <random>
#include <string>
#include <vector>

#include <snack/io/matrix_market.hpp>
#include <snack/io/matrix_market_array.hpp>
#include <tests/io/text_source.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/executors.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using tests::contains;
using tests::entries_of;
using tests::text_of;
using tests::TextSource;

namespace {

const std::string banner = "%%MatrixMarket matrix coordinate real general\n";

/// 100,000 entries, one a column, in 1.4 MB: line i, from 0, has (7 i mod 1000, i) = i.
struct Lines {
    Size count = 100'000;
    std::vector<std::string> ends{"\n"};
    std::vector<std::string> lines;

    explicit Lines(std::vector<std::string> line_ends = {"\n"}) : ends(std::move(line_ends)) {
        for (Size i = 0; i < count; ++i) {
            lines.push_back(std::to_string(7 * i % 1000 + 1) + " " + std::to_string(i + 1) + " " + std::to_string(i));
        }
    }
    std::string text() const {
        std::string text = banner + "1000 100000 " + std::to_string(count) + "\n";
        for (std::size_t i = 0; i < lines.size(); ++i) {
            text += lines[i] + ends[i % ends.size()];
        }
        return text;
    }
};

bool right(const CooMatrix<double>& matrix) {
    bool all = matrix.nnz() == 100'000;
    for_each_entry(*matrix.topology(), [&](Size e, Index row, Index column) {
        all = all && 7 * Size{column} % 1000 == row && matrix.values()[static_cast<std::size_t>(e)] == column;
    });
    return all;
}

/// Calls use(ctx) with contexts of several numbers of threads, and one that runs the last task first.
template <class Use>
void with_contexts(const Use& use) {
    for (const int threads : {1, 2, 3}) {
        HostContext ctx({.threads = threads});
        use(ctx);
    }
    tests::BackwardsExecutor backwards;
    HostContext ctx({.executor = &backwards});
    use(ctx);
}

}  // namespace

TEST_CASE("a file of several blocks gives the same matrix with any number of threads", "[io][matrix_market]") {
    const TextSource source(Lines().text());

    with_contexts([&](HostContext& ctx) { CHECK(right(io::read_matrix_market<double>(ctx, source))); });
}

TEST_CASE("blocks may be cut anywhere in a line or its end", "[io][matrix_market]") {
    Lines lines({"\r\n", "\n", "\r", "\r\n\r\n", "  \n", "\n% a comment\n"});
    HostContext ctx({.threads = 2});
    for (int shift = 0; shift < 16; ++shift) {  // no line is longer
        const std::string text = lines.text();

        CHECK(right(io::read_matrix_market<double>(ctx, TextSource(text))));

        lines.lines[0] = " " + lines.lines[0];
    }
}

TEST_CASE("errors in several blocks are those of the first line that is wrong", "[io][matrix_market]") {
    Lines lines({"\r\n", "\n", "\r", "\n\n"});
    lines.lines[99'999] = "1 1 x";
    lines.lines[60'000] = "1001 1 1";
    lines.lines[59'999] = "1 1 y";
    const TextSource source(lines.text());
    const Size line = 3 + 59'999 + 59'999 / 4;  // each fourth entry has a blank line after it

    with_contexts([&](HostContext& ctx) {
        CHECK(text_of<FormatError>([&] { io::read_matrix_market<double>(ctx, source); }) ==
              "text: line " + std::to_string(line) + ": found 'y', wanted a number");
    });
}

TEST_CASE("surplus, missing and repeated entries are found in any block", "[io][matrix_market]") {
    Lines lines;
    lines.lines.push_back("1 1 1");
    const TextSource surplus(lines.text());
    lines.lines.resize(99'999);
    const TextSource missing(lines.text());
    lines.lines.push_back(lines.lines[3]);
    const TextSource repeated(lines.text());

    with_contexts([&](HostContext& ctx) {
        CHECK(text_of<FormatError>([&] { io::read_matrix_market<double>(ctx, surplus); }) ==
              "text: line 100003: one more entry than the 100000 of the header");
        CHECK(text_of<FormatError>([&] { io::read_matrix_market<double>(ctx, missing); }) ==
              "text: line 100002: the text ends after 99999 of the 100000 entries of the header");
        CHECK(text_of<TopologyError>([&] { io::read_matrix_market<double>(ctx, repeated); }) ==
              "text: line 100002: entry (22, 4) is given twice");
    });
}

TEST_CASE("an array of several blocks is put in place by several threads", "[io][matrix_market]") {
    std::string text = "%%MatrixMarket matrix array integer symmetric\n500 500\n";
    for (Size i = 0; i < 500 * 501 / 2; ++i) {
        text += std::to_string(i) + "\n";
    }
    const TextSource source(text);

    with_contexts([&](HostContext& ctx) {
        const auto matrix = io::read_matrix_market_array<double>(ctx, source);
        const auto view = matrix.view();
        bool right = true;
        Size next = 0;
        for (Size column = 0; column < 500; ++column) {
            for (Size row = column; row < 500; ++row, ++next) {
                right =
                    right && view(row, column) == static_cast<double>(next) && view(column, row) == view(row, column);
            }
        }
        CHECK(right);
    });
}

namespace {

/// Text of which one byte range cannot be read.
class FailingSource final : public io::Source {
public:
    FailingSource(const std::string& text, Size bad)
        : Source("failing"), text_(std::as_bytes(std::span(text))), bad_(bad) {}
    Size size() const noexcept override { return text_.size(); }
    void read(Size offset, std::span<std::byte> to) const override {
        require<FileError>(offset > bad_ || offset + static_cast<Size>(to.size()) <= bad_, "failing", "bad sector");
        text_.read(offset, to);
    }

private:
    io::MemorySource text_;
    Size bad_;
};

}  // namespace

TEST_CASE("a file that cannot be read in the middle ends in its error, on any thread", "[io][matrix_market]") {
    const std::string text = Lines().text();
    const FailingSource source(text, 800'000);

    with_contexts([&](HostContext& ctx) {
        CHECK(text_of<FileError>([&] { io::read_matrix_market<double>(ctx, source); }) == "failing: bad sector");
    });
}

TEST_CASE("memory is bounded by the entries and some blocks", "[io][matrix_market]") {
    tests::CountingAllocator allocator;
    HostContext ctx({.threads = 2, .allocator = &allocator});
    const TextSource source(Lines().text());
    const Size entries = 100'000;

    const auto matrix = io::read_matrix_market<double>(ctx, source);

    CHECK(allocator.live_bytes <= entries * 12 + 1001 * 8);
    CHECK(allocator.peak_bytes < entries * 36 + 6 * (3 << 19));
}

TEST_CASE("whichever allocation fails while a file is read, nothing leaks", "[io][matrix_market]") {
    tests::CountingAllocator allocator;
    HostContext ctx({.threads = 2, .allocator = &allocator});
    const TextSource source("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n3 1 1\n2 1 1\n1 1 4\n");
    bool failed = true;
    Size failures = 0;
    for (Size call = 0; failed; ++call) {
        allocator.calls = 0;
        allocator.fail_at_call = call;
        try {
            const auto matrix = io::read_matrix_market<float>(ctx, source);
            failed = false;
        } catch (const std::bad_alloc&) {
            ++failures;
        }
        REQUIRE(allocator.live_bytes == 0);
    }
    CHECK(failures >= 6);
}

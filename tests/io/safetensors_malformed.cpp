// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Safetensors files that are broken, or made to do harm: each ends in a typed error that says where and what, and
// takes next to no memory.

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <snack/io/safetensors_writer.hpp>
#include <tests/io/safetensors_bytes.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using io::Safetensors;
using tests::bytes_of;
using tests::contains;
using tests::safetensors_bytes;
using tests::source_of;
using tests::text_of;

namespace {

struct Broken {
    const char* what;
    std::string bytes;
    std::string text;  // part of the message
};

/// A file of a tensor "a" with this description and so many bytes of data.
std::string described(const std::string& description, std::size_t data_bytes) {
    return safetensors_bytes(R"({"a":{)" + description + "}}", std::string(data_bytes, '\0'));
}

/// The same for a name, with one byte of data.
std::string named(const std::string& name) {
    return safetensors_bytes("{\"" + name + R"(":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "x");
}

/// Two tensors of these offsets, F32, with shapes that fit them.
std::string two(Size a_begin, Size a_end, Size b_begin, Size b_end, std::size_t data_bytes) {
    const auto tensor = [](const char* name, Size begin, Size end) {
        return std::string("\"") + name + R"(":{"dtype":"F32","shape":[)" + std::to_string((end - begin) / 4) +
               R"(],"data_offsets":[)" + std::to_string(begin) + "," + std::to_string(end) + "]}";
    };
    return safetensors_bytes("{" + tensor("a", a_begin, a_end) + "," + tensor("b", b_begin, b_end) + "}",
                             std::string(data_bytes, '\0'));
}

const std::string good = R"("dtype":"F32","shape":[1],"data_offsets":[0,4])";

std::vector<Broken> broken_files() {
    const std::string u64_max = bytes_of<std::uint64_t>({0xffffffffffffffff});
    const std::string whole = described(good, 4);
    return {
        {"nothing at all", "", "has 0 bytes"},
        {"seven bytes", std::string(7, '\1'), "has 7 bytes, the size of a header takes 8"},
        {"a header of all ones", u64_max, "byte 0: the header has 18446744073709551615 bytes, the file only 0 more"},
        {"a header of 2^63 bytes", bytes_of<std::uint64_t>({1ull << 63}) + "{}", "9223372036854775808"},
        {"a header of 2^63 - 1 bytes", bytes_of<std::uint64_t>({(1ull << 63) - 1}) + "{}", "9223372036854775807"},
        {"a header of 2^64 - 8 bytes", bytes_of<std::uint64_t>({0xfffffffffffffff8}) + "{}", "18446744073709551608"},
        {"a header one byte larger than fits", bytes_of<std::uint64_t>({3}) + "{}", "has 3 bytes, the file only 2"},
        {"no header", bytes_of<std::uint64_t>({0}), "byte 8: the header does not begin with '{'"},
        {"a header that is no JSON", safetensors_bytes("{Never"), "the header is not JSON"},
        {"a header that is binary", safetensors_bytes("\x80\x04\x95"), "does not begin with '{'"},
        {"a header that is an array", safetensors_bytes("[]"), "does not begin with '{'"},
        {"a space before the header", safetensors_bytes(" {}"), "does not begin with '{'"},
        {"a byte order mark", safetensors_bytes("\xef\xbb\xbf{}"), "does not begin with '{'"},
        {"a header cut in a string", safetensors_bytes(R"({"a)"), "the header is not JSON"},
        {"a header cut in a number", safetensors_bytes(R"({"a":{"dtype":"F32","shape":[1)"), "the header is not JSON"},
        {"two JSON texts", safetensors_bytes("{}{}"), "the header is not JSON"},
        {"text after the JSON", safetensors_bytes("{} x"), "the header is not JSON"},
        {"zeros after the JSON", safetensors_bytes(std::string("{}\0\0", 4)), "a zero byte in the header"},
        {"a zero as the last byte", safetensors_bytes(std::string("{}\0", 3)), "a zero byte in the header"},
        {"a comment", safetensors_bytes("{/**/}"), "the header is not JSON"},
        {"a comma too many", safetensors_bytes("{\"a\":{" + good + "},}", "1234"), "the header is not JSON"},
        {"a number for a tensor", safetensors_bytes(R"({"a":1})"), "a number after 'a': an object is wanted"},
        {"null for a tensor", safetensors_bytes(R"({"a":null})"), "null after 'a': an object is wanted"},
        {"an array for a tensor", safetensors_bytes(R"({"a":[]})"), "an array after 'a': an object is wanted"},
        {"a string for a tensor", safetensors_bytes(R"({"a":"b"})"), "a string after 'a'"},
        {"an object in a tensor", safetensors_bytes(R"({"a":{"dtype":{}}})"), "an object after 'dtype'"},
        {"a tensor without a type", described(R"("shape":[1],"data_offsets":[0,4])", 4), "'a' has no dtype"},
        {"a tensor without a shape", described(R"("dtype":"F32","data_offsets":[0,4])", 4), "'a' has no shape"},
        {"a tensor without a place", described(R"("dtype":"F32","shape":[1])", 4), "'a' has no data_offsets"},
        {"a tensor with more", described(good + R"(,"order":"C")", 4), "'a' has 'order'; only dtype"},
        {"a shape that is a number", described(R"("dtype":"F32","shape":1,"data_offsets":[0,4])", 4), "a number after"},
        {"a shape of strings", described(R"("dtype":"F32","shape":["1"],"data_offsets":[0,4])", 4), "a string after"},
        {"a shape of arrays", described(R"("dtype":"F32","shape":[[1]],"data_offsets":[0,4])", 4), "an array after"},
        {"a shape of fractions", described(R"("dtype":"F32","shape":[1.0],"data_offsets":[0,4])", 4), "number 1.0"},
        {"a shape with an exponent", described(R"("dtype":"F32","shape":[1e0],"data_offsets":[0,4])", 4), "number 1e0"},
        {"a shape of booleans", described(R"("dtype":"F32","shape":[true],"data_offsets":[0,4])", 4), "a boolean"},
        {"a negative extent", described(R"("dtype":"F32","shape":[-1],"data_offsets":[0,4])", 4), "a negative number"},
        {"an extent of -0", described(R"("dtype":"F32","shape":[-0],"data_offsets":[0,0])", 0), "a negative number"},
        {"an extent of 2^63", described(R"("dtype":"U8","shape":[9223372036854775808],"data_offsets":[0,0])", 0),
         "9223372036854775808 passes 2^63 - 1"},
        {"an extent of 2^64", described(R"("dtype":"U8","shape":[18446744073709551616],"data_offsets":[0,0])", 0),
         "the number 18446744073709551616"},
        {"an extent of 10^400", described(R"("dtype":"U8","shape":[1)" + std::string(400, '0') + "]", 0), "byte"},
        {"a product of 2^64", described(R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0])", 0),
         "the product of its shape passes 2^63 - 1 bytes"},
        {"a product of 2^62 numbers of 4 bytes",
         described(R"("dtype":"F32","shape":[2147483648,2147483648],"data_offsets":[0,0])", 0),
         "the product of its shape passes 2^63 - 1 bytes"},
        {"a shape larger than its place", described(R"("dtype":"F32","shape":[1000,1000],"data_offsets":[0,4])", 4),
         "'a' has 4 bytes, its shape needs 4000000"},
        {"a shape smaller than its place", described(R"("dtype":"F32","shape":[],"data_offsets":[0,8])", 8),
         "'a' has 8 bytes, its shape needs 4"},
        {"a place that ends before it begins", described(R"("dtype":"F32","shape":[1],"data_offsets":[8,4])", 8),
         "'a' has the data_offsets [8, 4], there are 8 bytes of data"},
        {"a place beyond the file", described(R"("dtype":"F32","shape":[2],"data_offsets":[0,8])", 4),
         "'a' has the data_offsets [0, 8], there are 4 bytes of data"},
        {"a place that wraps", described(R"("dtype":"U8","shape":[8],"data_offsets":[18446744073709551608,0])", 0),
         "18446744073709551608 passes 2^63 - 1"},
        {"a place of one number", described(R"("dtype":"F32","shape":[1],"data_offsets":[4])", 4),
         "has 1 data_offsets"},
        {"a place of three numbers", described(R"("dtype":"F32","shape":[1],"data_offsets":[0,4,4])", 4),
         "more than 2 data_offsets"},
        {"a file one byte short", whole.substr(0, whole.size() - 1), "there are 3 bytes of data"},
        {"a file one byte long", whole + "x", "the tensors end here, the file at byte"},
        {"data without tensors", safetensors_bytes("{}", "x"), "byte 10: the tensors end here, the file at byte 11"},
        {"tensors that overlap", two(0, 8, 4, 12, 12), "inside another one"},
        {"the same place twice", two(0, 4, 0, 4, 4), "inside another one"},
        {"a hole between tensors", two(0, 4, 8, 12, 12), "no tensor has the bytes from"},
        {"a hole before tensors", two(4, 8, 8, 12, 12), "no tensor has the bytes from"},
        {"a hole after tensors", two(0, 4, 4, 8, 12), "the tensors end here"},
        {"an empty tensor inside another", two(0, 8, 4, 4, 8), "inside another one"},
        {"an unknown type", described(R"("dtype":"F33","shape":[1],"data_offsets":[0,4])", 4),
         "'a' has the unknown dtype 'F33'"},
        {"a type in small letters", described(R"("dtype":"f32","shape":[1],"data_offsets":[0,4])", 4), "dtype 'f32'"},
        {"a type that is a number", described(R"("dtype":32,"shape":[1],"data_offsets":[0,4])", 4), "a number after"},
        {"a name twice",
         safetensors_bytes("{\"a\":{" + good + R"(},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})", "1234"),
         "tensor 'a' stands twice"},
        {"a name twice, once escaped",
         safetensors_bytes("{\"a\":{" + good + R"(},"\u0061":{"dtype":"U8","shape":[0],"data_offsets":[4,4]}})",
                           "1234"),
         "tensor 'a' stands twice"},
        {"a type twice", described(good + R"(,"dtype":"F32")", 4), "'dtype' stands twice"},
        {"a shape twice", described(good + R"(,"shape":[1])", 4), "'shape' stands twice"},
        {"metadata twice", safetensors_bytes(R"({"__metadata__":{},"__metadata__":{}})"),
         "'__metadata__' stands twice"},
        {"metadata that are null", safetensors_bytes(R"({"__metadata__":null})"), "null after '__metadata__'"},
        {"metadata that are a list", safetensors_bytes(R"({"__metadata__":[]})"), "an array after '__metadata__'"},
        {"metadata of numbers", safetensors_bytes(R"({"__metadata__":{"a":1}})"), "a number after 'a': metadata are"},
        {"metadata of objects", safetensors_bytes(R"({"__metadata__":{"a":{}}})"), "an object after 'a': metadata are"},
        {"a text twice", safetensors_bytes(R"({"__metadata__":{"a":"1","a":"2"}})"), "metadata 'a' stands twice"},
        {"a name that is no UTF-8", named("\xff"), "the header is not JSON"},
        {"a name cut within a character", named("\xe2\x82"), "the header is not JSON"},
        {"a name with more bytes than it needs", named("\xc0\xaf"), "the header is not JSON"},
        {"a name with half a pair", named("\\ud800"), "the header is not JSON"},
        {"a name with a line break", named("\n"), "the header is not JSON"},
        {"a name with a zero", named(std::string(1, '\0')), "a zero byte in the header"},
        {"an escape that is none", named("\\x41"), "the header is not JSON"},
    };
}

/// Opens the file, with a budget of its own or the default one, and reports the seconds and the most bytes it took.
struct Cost {
    double seconds = 0;
    Size bytes = 0;

    template <class Open>
    explicit Cost(const Open& open) {
        tests::reset_peak_new();
        const Size before = tests::live_new();
        const auto start = std::chrono::steady_clock::now();
        open();
        seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        bytes = tests::peak_new() - before;
    }
};

constexpr Size megabyte = 1 << 20;

/// A header of so many bytes that opens with `begin` and then repeats a text.
std::string repeated(const std::string& begin, const std::string& text, Size bytes) {
    std::string header = begin;
    while (static_cast<Size>(header.size() + text.size()) <= bytes) {
        header += text;
    }
    return safetensors_bytes(header);
}

std::string many_tensors(Size count) {
    std::string header = "{";
    for (Size i = 0; i < count; ++i) {
        header += (i > 0 ? ",\"" : "\"") + std::to_string(i) + R"(":{"dtype":"U8","shape":[1],"data_offsets":[)" +
                  std::to_string(i) + "," + std::to_string(i + 1) + "]}";
    }
    return safetensors_bytes(header + "}", std::string(static_cast<std::size_t>(count), 'x'));
}

}  // namespace

TEST_CASE("a broken safetensors file is refused with its place and next to no memory", "[io]") {
    for (const Broken& file : broken_files()) {
        CAPTURE(file.what);
        const auto source = source_of(file.bytes);

        std::string text;
        const Cost cost([&] { text = text_of<FormatError>([&] { Safetensors opened(source); }); });

        CAPTURE(text);
        REQUIRE(text.starts_with("made.up: "));
        REQUIRE(contains(text, file.text));
        REQUIRE(text.size() < 300);
        REQUIRE(cost.bytes < megabyte);
    }
}

TEST_CASE("tensors of types that are not decoded are known and copied, and refused by name when they are read",
          "[io]") {
    for (const io::DType type : io::opaque_dtypes) {
        CAPTURE(io::name_of(type));
        const Size bytes = io::bits_of(type);  // of eight elements
        const Safetensors file(
            source_of(described(std::string(R"("dtype":")") + io::name_of(type) +
                                    R"(","shape":[2,4],"data_offsets":[0,)" + std::to_string(bytes) + "]",
                                static_cast<std::size_t>(bytes))));
        const io::TensorInfo& tensor = file.at("a");
        CHECK(tensor.dtype == type);
        CHECK(tensor.elements == 8);
        std::vector<std::byte> copy(static_cast<std::size_t>(bytes));
        file.read_bytes(tensor, 0, copy);
        CHECK(contains(text_of<UnsupportedError>([&] { file.read<float>(tensor); }),
                       std::string("tensor 'a' has dtype ") + io::name_of(type) + ", which is not read"));
        Size integers[8];
        CHECK_THROWS_AS(file.read_integers(tensor, 0, integers), FormatError);
    }
}

TEST_CASE("elements of less than a byte fill whole bytes", "[io]") {
    const auto text = [](const char* type, const char* shape, const char* end) {
        const std::string bytes = described(
            std::string(R"("dtype":")") + type + R"(","shape":)" + shape + R"(,"data_offsets":[0,)" + end + "]", 3);
        return text_of<FormatError>([&] { Safetensors file(source_of(bytes)); });
    };
    CHECK(contains(text("F4", "[5]", "3"), "5 elements of F4 end inside a byte"));
    CHECK(contains(text("F6_E2M3", "[2,1]", "2"), "2 elements of F6_E2M3 end inside a byte"));
    CHECK(contains(text("F4", "[4]", "3"), "has 3 bytes, its shape needs 2"));
    io::SafetensorsWriter writer;
    CHECK_THROWS_AS(writer.add("a", io::DType::F4, {3}, [](Size, std::span<std::byte>) {}), ShapeError);
}

TEST_CASE("messages show hostile names short and without control bytes", "[io]") {
    const std::string name = R"(\u001b[31m\n\u009b\u00a0)" + std::string(100'000, 'n');
    const std::string bytes = safetensors_bytes("{\"" + name + R"(":{"dtype":"F32"}})");

    const std::string text = text_of<FormatError>([&] { Safetensors file(source_of(bytes)); });

    REQUIRE(contains(text, "tensor '?[31m???\xc2\xa0nnn"));
    REQUIRE(contains(text, "nnn...' has no shape"));
    REQUIRE(text.size() < 200);
}

TEST_CASE("every budget of a header is kept", "[io]") {
    const std::string bytes = two(0, 8, 8, 12, 12);
    const auto refused = [&](io::Budget budget, const std::string& text) {
        CAPTURE(text);
        REQUIRE(contains(text_of<FormatError>([&] { Safetensors file(source_of(bytes), budget); }), text));
    };
    const auto size = static_cast<Size>(bytes.size());

    Safetensors(source_of(bytes), {.file_bytes = size,
                                   .elements = 2,
                                   .header_bytes = size - 20,
                                   .tensors = 2,
                                   .json_depth = 3,
                                   .string_bytes = 12,
                                   .dimensions = 1});
    refused({.file_bytes = size - 1}, "bytes, the budget is " + std::to_string(size - 1));
    refused({.elements = 1}, "tensor 'a' has 2 elements, the budget is 1");
    refused({.header_bytes = size - 21}, "bytes, the budget is " + std::to_string(size - 21));
    refused({.tensors = 1}, "more than 1 tensors, the budget");
    refused({.json_depth = 2}, "brackets are deeper than 2, the budget");
    refused({.string_bytes = 11}, "for more than 11 bytes, the budget");
    refused({.dimensions = 0}, "tensor 'a' has more than 0 dimensions, the budget");
}

TEST_CASE("headers that are made to take memory do not get it", "[io]") {
    const Size full = 15'900'000;
    const std::string entry = R"("dtype":"U8","data_offsets":[0,0],"shape":[)";
    std::vector<std::pair<const char*, std::string>> files = {
        {"brackets", repeated("{\"a\":", "[", 100'000)},
        {"brackets in a shape", repeated(R"({"a":{"shape":)", "[", 100'000)},
        {"objects", repeated("{", "\"a\":{", 100'000)},
        {"one long name", repeated("{\"", "n", full)},
        {"one long escaped name", repeated("{\"", "\\u00e9", full)},
        {"one long number", repeated("{\"a\":{" + entry, "9", full)},
        {"one long number with a fraction", repeated("{\"a\":{" + entry + "0.", "9", full)},
        {"spaces", repeated("{", " ", full)},
        {"line breaks between brackets", repeated("{\"a\":{" + entry, "\n\n\n\n", full)},
        {"one long shape", repeated("{\"a\":{" + entry, "1,", full)},
        {"tensors without end", repeated("{", R"("a":{"dtype":"U8","data_offsets":[0,0],"shape":[0]},)", full)},
        {"metadata without end", repeated(R"({"__metadata__":{)", R"("a":"b",)", full)},
    };
    std::string texts = R"({"__metadata__":{)";
    for (Size i = 0; texts.size() < static_cast<std::size_t>(full); ++i) {
        texts += '"' + std::to_string(i) + R"(":"",)";
    }
    files.emplace_back("different metadata without end", safetensors_bytes(texts));
    std::string shapes = "{";
    for (Size i = 0; shapes.size() < static_cast<std::size_t>(full); ++i) {
        shapes += '"' + std::to_string(i) + "\":{" + entry + "0,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]},";
    }
    files.emplace_back("shapes of many dimensions", safetensors_bytes(shapes));

    for (const auto& [what, bytes] : files) {
        CAPTURE(what);
        const auto source = source_of(bytes);
        const Cost cost([&] { REQUIRE_THROWS_AS(Safetensors(source), FormatError); });
        INFO(cost.bytes << " bytes, " << cost.seconds << " s");
        REQUIRE(cost.bytes < 64 * megabyte);
    }
}

TEST_CASE("200,000 tensors are refused, or read if the budget has room", "[io]") {
    const auto source = source_of(many_tensors(200'000));
    const Cost refused([&] { REQUIRE_THROWS_AS(Safetensors(source), FormatError); });
    REQUIRE(refused.bytes < 64 * megabyte);

    Size count = 0;
    const Cost read([&] { count = std::ssize(Safetensors(source, {.tensors = 200'000}).tensors()); });
    REQUIRE(count == 200'000);
    REQUIRE(read.bytes < 64 * megabyte);

    Size most = 0;
    const Cost allowed([&] { most = std::ssize(Safetensors(source_of(many_tensors(100'000))).tensors()); });
    REQUIRE(most == 100'000);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the library writes as safetensors: which bytes, and that they come back.

#include <cstring>
#include <limits>
#include <vector>

#include <snack/io/safetensors_writer.hpp>
#include <tests/io/safetensors_bytes.hpp>
#include <tests/io/scratch_folder.hpp>
#include <tests/support/allocations.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using io::Safetensors;
using io::SafetensorsWriter;
using tests::bytes_of;
using tests::contains;
using tests::read_file;
using tests::text_of;

namespace {

/// What a writer writes.
std::string written(const SafetensorsWriter& writer) {
    const tests::ScratchFolder folder;
    writer.write(folder.file("a"));
    return read_file(folder.file("a"));
}

}  // namespace

TEST_CASE("a safetensors file has a size, a padded header and the tensors by width and name", "[io]") {
    const std::vector<float> floats{1, 2, 3, 4};
    const std::vector<Size> integers{-1};
    const std::vector<std::uint8_t> bytes{7, 8, 9};
    SafetensorsWriter writer;
    writer.add("z", {2, 2}, std::span(floats));
    writer.add("b", {3}, std::span(bytes));
    writer.add("a", {}, std::span(floats).first(1));
    writer.add("n", {1}, std::span(integers));
    writer.set_metadata("by", "hand");
    writer.set_metadata("at", "noon");

    std::string header = R"({"__metadata__":{"at":"noon","by":"hand"},)"
                         R"("n":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
                         R"("a":{"dtype":"F32","shape":[],"data_offsets":[8,12]},)"
                         R"("z":{"dtype":"F32","shape":[2,2],"data_offsets":[12,28]},)"
                         R"("b":{"dtype":"U8","shape":[3],"data_offsets":[28,31]}})";
    header.append((8 - header.size() % 8) % 8, ' ');
    REQUIRE(written(writer) ==
            tests::safetensors_bytes(
                header, bytes_of<Size>({-1}) + bytes_of<float>({1, 1, 2, 3, 4}) + bytes_of<std::uint8_t>({7, 8, 9})));
}

TEST_CASE("a safetensors file without tensors is eight bytes and a header", "[io]") {
    REQUIRE(written(SafetensorsWriter()) == tests::safetensors_bytes("{}      "));
}

TEST_CASE("the order in which tensors are added does not show", "[io]") {
    const std::vector<float> floats{1, 2};
    SafetensorsWriter one;
    one.add("a", {1}, std::span(floats).first(1));
    one.add("b", {1}, std::span(floats).last(1));
    SafetensorsWriter other;
    other.add("b", {1}, std::span(floats).last(1));
    other.add("a", {1}, std::span(floats).first(1));

    REQUIRE(written(one) == written(other));
    REQUIRE(written(one) == written(one));
}

TEST_CASE("names and metadata of any UTF-8 come back", "[io]") {
    const std::vector<std::uint8_t> nothing;
    std::vector<std::string> names{"",
                                   " ",
                                   "\"\\/",
                                   "\b\f\n\r\t\x01\x1f\x7f",
                                   "\xc3\xa9",
                                   "\xe2\x82\xac\xed\x9f\xbf",
                                   "\xee\x80\x80\xf0\x90\x80\x80",
                                   "\xf4\x8f\xbf\xbf",
                                   "__metadata",
                                   "{}[]:,"};
    names.push_back(std::string("a\0b", 3));
    SafetensorsWriter writer;
    for (const std::string& name : names) {
        writer.add(name, {0}, std::span(nothing));
        writer.set_metadata(name, name + name);
    }
    const tests::ScratchFolder folder;

    writer.write(folder.file("a"));

    const Safetensors file(folder.file("a"));
    REQUIRE(file.tensors().size() == names.size());
    for (const std::string& name : names) {
        CAPTURE(name);
        REQUIRE(file.find(name) != nullptr);
        REQUIRE(file.metadata().at(name) == name + name);
    }
    REQUIRE(contains(read_file(folder.file("a")), R"("\b\f\n\r\t\u0001\u001f)"));
}

TEST_CASE("names that no header can hold are refused", "[io]") {
    const std::vector<float> one{1};
    SafetensorsWriter writer;
    writer.add("a", {1}, std::span(one));
    const std::string before = written(writer);

    for (const char* name : {"\xff", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
                             "\xe2\x82", "\x80", "\xc3"}) {
        REQUIRE_THROWS_AS(writer.add(name, {1}, std::span(one)), ArgumentError);
        REQUIRE_THROWS_AS(writer.set_metadata(name, ""), ArgumentError);
        REQUIRE_THROWS_AS(writer.set_metadata("a", name), ArgumentError);
    }
    REQUIRE_THROWS_AS(writer.add("__metadata__", {1}, std::span(one)), ArgumentError);
    REQUIRE(text_of<ArgumentError>([&] { writer.add("a", {1}, std::span(one)); }) ==
            "SafetensorsWriter: there are two tensors 'a'");
    REQUIRE(written(writer) == before);
}

TEST_CASE("shapes must fit the elements", "[io]") {
    const std::vector<float> one{1};
    SafetensorsWriter writer;

    REQUIRE(text_of<ShapeError>([&] {
                writer.add("a", {2, 3}, std::span(one));
            }) == "SafetensorsWriter: tensor 'a' has 1 elements, its shape needs 6");
    REQUIRE_THROWS_AS(writer.add("a", {-1, -1}, std::span(one)), ShapeError);
    REQUIRE_THROWS_AS(writer.add("a", {Size{1} << 32, Size{1} << 32}, std::span(one)), ShapeError);
    REQUIRE_THROWS_AS(writer.add("a", io::DType::F64, {Size{1} << 60}, [](Size, std::span<std::byte>) {}), ShapeError);
    const auto fill = [](Size, std::span<std::byte>) {};
    writer.add("a", io::DType::F64, {Size{1} << 59}, fill);
    writer.add("b", io::DType::F64, {Size{1} << 59}, fill);
    const tests::ScratchFolder folder;
    REQUIRE_THROWS_AS(writer.write(folder.file("a")), ShapeError);
    REQUIRE(folder.files() == 0);
}

TEST_CASE("numbers of every type come back bit for bit", "[io]") {
    const tests::ScratchFolder folder;
    const auto check = [&]<class T>(const std::vector<T>& numbers, io::DType type) {
        SafetensorsWriter writer;
        writer.add("a", {std::ssize(numbers)}, std::span(numbers));
        writer.write(folder.file("a"));
        const Safetensors file(folder.file("a"));
        REQUIRE(file.at("a").dtype == type);
        std::vector<T> read(numbers.size());
        file.read_bytes(file.at("a"), 0, std::as_writable_bytes(std::span(read)));
        REQUIRE(std::memcmp(read.data(), numbers.data(), numbers.size() * sizeof(T)) == 0);
    };
    const auto limits = []<class T>(T) {
        return std::vector<T>{std::numeric_limits<T>::lowest(), 0, std::numeric_limits<T>::max()};
    };
    const auto nan_with_payload = std::bit_cast<float>(0x7fc12345u);
    check(std::vector<float>{-0.0f, 0x1p-149f, nan_with_payload, -std::numeric_limits<float>::infinity()},
          io::DType::F32);
    check(std::vector<double>{-0.0, 0x1p-1074, std::bit_cast<double>(0xfff0000000000001ull)}, io::DType::F64);
    check(limits(std::int8_t{}), io::DType::I8);
    check(limits(std::int16_t{}), io::DType::I16);
    check(limits(std::int32_t{}), io::DType::I32);
    check(limits(std::int64_t{}), io::DType::I64);
    check(limits(std::uint8_t{}), io::DType::U8);
    check(limits(std::uint16_t{}), io::DType::U16);
    check(limits(std::uint32_t{}), io::DType::U32);
    check(limits(std::uint64_t{}), io::DType::U64);
}

TEST_CASE("elements that a function supplies are asked for in pieces of whole elements", "[io]") {
    constexpr Size count = 500'000;
    const tests::ScratchFolder folder;
    SafetensorsWriter writer;
    bool whole = true;
    writer.add("a", io::DType::I64, {count}, [&](Size first, std::span<std::byte> to) {
        whole = whole && first % 8 == 0 && to.size() % 8 == 0;
        for (std::size_t i = 0; i < to.size(); i += 8) {
            const Size element = first / 8 + static_cast<Size>(i / 8);
            std::memcpy(to.data() + i, &element, 8);
        }
    });

    tests::reset_peak_new();
    const Size before = tests::live_new();
    writer.write(folder.file("a"));

    REQUIRE(tests::peak_new() - before < 2'000'000);  // of 4,000,000 bytes
    REQUIRE(whole);
    const Safetensors file(folder.file("a"));
    std::vector<Size> read(count);
    file.read_integers(file.at("a"), 0, read);
    for (Size i = 0; i < count; i += 1) {
        whole = whole && read[static_cast<std::size_t>(i)] == i;
    }
    REQUIRE(whole);
}

TEST_CASE("elements of the caller's are written without a copy", "[io]") {
    const std::vector<float> elements(1'000'000, 1.5f);
    const tests::ScratchFolder folder;
    SafetensorsWriter writer;
    writer.add("a", {1000, 1000}, std::span(elements));

    tests::reset_peak_new();
    const Size before = tests::live_new();
    writer.write(folder.file("a"));

    REQUIRE(tests::peak_new() - before < 200'000);
    REQUIRE(read_file(folder.file("a")).size() > 4'000'000);
}

TEST_CASE("a file stays as it was if a tensor cannot be supplied", "[io]") {
    const tests::ScratchFolder folder;
    tests::write_file(folder.file("a"), "before");
    SafetensorsWriter writer;
    writer.add("a", io::DType::U8, {1}, [](Size, std::span<std::byte>) { throw std::runtime_error("no"); });

    REQUIRE_THROWS_AS(writer.write(folder.file("a")), std::runtime_error);

    REQUIRE(read_file(folder.file("a")) == "before");
    REQUIRE(folder.files() == 1);
    REQUIRE_THROWS_AS(writer.write(folder.file("no/such/folder")), FileError);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The command line of snack_tool. What can be checked without a file is checked here.

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <regex>
#include <string>
#include <string_view>

#include <examples/support/command_line.hpp>
#include <snack/io/dtype.hpp>
#include <snack/io/quote.hpp>
#include <snack/io/sparsify.hpp>

namespace tool {

using examples::UsageError;
using snack::Size;

enum class FileKind { safetensors, matrix_market, smtx, npy };

/// By the end of the name, in capitals or not.
/// @throws UsageError for another one
inline FileKind kind_of(const std::string& path) {
    constexpr std::string_view ends[] = {".safetensors", ".mtx", ".smtx", ".npy"};
    std::string name = path;
    std::transform(name.begin(), name.end(), name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
    for (int i = 0; i < 4; ++i) {
        if (name.size() > ends[i].size() && name.ends_with(ends[i])) {
            return static_cast<FileKind>(i);
        }
    }
    throw UsageError(path + ": the kind of a file is told by its end, .safetensors, .mtx, .smtx or .npy");
}

struct Options {
    std::string command;
    std::string in;
    std::string out;
    std::string name;     ///< of a matrix that had none
    std::string tensors;  ///< a regular expression; empty: the command's own choice
    std::string dtype;    ///< F32, F64, or empty: what holds the file's numbers
    std::optional<double> sparsity;
    std::optional<double> threshold;
    std::optional<snack::io::LargestOfGroups> groups;
    bool per_row = false;
    bool together = false;
};

/// Whether a part of the name matches; with an empty expression, whether it ends with `otherwise`. Names that go on
/// for pages, which nobody gives, never match: the matcher of the standard library recurses over them.
class NameFilter {
public:
    /// @throws UsageError for an expression that is none
    NameFilter(const std::string& expression, std::string otherwise) : otherwise_(std::move(otherwise)) {
        try {
            if (!expression.empty()) {
                expression_ = std::regex(expression, std::regex::ECMAScript | std::regex::optimize);
            }
        } catch (const std::regex_error&) {
            throw UsageError("--tensors: '" + expression + "' is not a regular expression");
        }
    }

    bool matches(const std::string& name) const {
        return expression_ ? name.size() < 1000 && std::regex_search(name, *expression_) : name.ends_with(otherwise_);
    }

private:
    std::string otherwise_;
    std::optional<std::regex> expression_;
};

namespace detail {

/// 2:4 and its like.
inline std::optional<snack::io::LargestOfGroups> parse_groups(const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) {
        return std::nullopt;
    }
    const auto kept = examples::detail::parse_number<Size>(std::string_view(text).substr(0, colon));
    const auto group = examples::detail::parse_number<Size>(std::string_view(text).substr(colon + 1));
    if (!kept || !group || *kept < 0 || *group < 1 || *kept > *group) {
        return std::nullopt;
    }
    return snack::io::LargestOfGroups{.kept = *kept, .group = *group};
}

inline void add_files(CLI::App& command, Options& options, bool with_out) {
    command.add_option("IN", options.in, "The file to read")->required();
    if (with_out) {
        command.add_option("OUT", options.out, "The file to write; it appears whole or not at all")->required();
    }
}

inline void add_choices(CLI::App& command, Options& options) {
    command.add_option("--tensors", options.tensors, "Only tensors or layers whose names match, in part")
        ->type_name("REGEX");
    command
        .add_option("--dtype", options.dtype,
                    "Type of the numbers that are written; by default F64 where a matrix of IN is F64, wide "
                    "integers or text, and F32 otherwise")
        ->check(CLI::IsMember({"F32", "F64"}));
    command.add_option("--name", options.name, "Name in OUT of a matrix that has none in IN; by default IN's own")
        ->type_name("NAME");
}

inline void add_prune(CLI::App& app, Options& options, std::string& groups) {
    using examples::detail::real_number;
    CLI::App& prune = *app.add_subcommand("prune", "Makes sparse layers of dense weights, read a few rows at a time");
    add_files(prune, options, true);
    add_choices(prune, options);
    prune
        .add_option_function<double>(
            "--sparsity", [&](double s) { options.sparsity = s; },
            "Share of weights to drop, those of least magnitude; by layer if nothing else is "
            "said")
        ->check(real_number([](double s) { return s >= 0 && s <= 1; }, "from 0 to 1"))
        ->type_name("S");
    prune.add_flag("--per-row", options.per_row, "--sparsity for each row by itself");
    prune.add_flag("--global", options.together, "--sparsity for all layers together, under one threshold");
    prune
        .add_option_function<double>(
            "--threshold", [&](double t) { options.threshold = t; },
            "Keep weights of a magnitude above this; 0 keeps all that are not zero")
        ->check(real_number([](double t) { return t >= 0; }, "of 0 or more"))
        ->type_name("T");
    prune.add_option("--nm", groups, "Keep the N largest of every M neighbours in a row, as 2:4")
        ->check([](const std::string& text) {
            return parse_groups(text) ? std::string() : "'" + text + "' is not N:M with N from 0 to M";
        })
        ->type_name("N:M");
    prune.footer(
        "IN is .safetensors, of which tensors of two dimensions are pruned whose names end with 'weight' (or match\n"
        "--tensors), .npy, or a dense .mtx; sparse layers stay as they are. OUT is .safetensors, with all other "
        "tensors\n"
        "of IN as they are, or, for one matrix, .mtx, .smtx or, with its zeros, .npy. It cannot be IN.");
}

/// Names the commands there are, which the parser's own message does not.
/// @throws UsageError for a first word that is neither one of them nor an option
inline void require_command(const CLI::App& app, const std::string& word) {
    std::string commands;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (command->get_name() == word) {
            return;
        }
        commands += (commands.empty() ? "" : ", ") + command->get_name();
    }
    if (!word.starts_with('-')) {
        throw UsageError(snack::io::quote_or(word, "no subcommand") + ": wanted is one of " + commands + ", or --help");
    }
}

/// @throws UsageError for options that do not go together
inline void check(const Options& options) {
    kind_of(options.in);
    if (options.command != "inspect") {
        kind_of(options.out);
        std::error_code unknown;  // of a file that is not there, which is no fault of the command line
        if (std::filesystem::equivalent(options.in, options.out, unknown)) {
            throw UsageError(options.out + ": IN and OUT are one file");
        }
        const bool has_names = kind_of(options.in) == FileKind::safetensors;
        if (!options.tensors.empty() && !has_names) {
            throw UsageError("--tensors: " + options.in + " has no names; those of .safetensors are meant");
        }
        if (!options.name.empty() && has_names) {
            throw UsageError("--name: what " + options.in + " holds has names, and keeps them");
        }
    }
    NameFilter(options.tensors, "");
    if (options.command == "prune") {
        const int rules = (options.sparsity ? 1 : 0) + (options.threshold ? 1 : 0) + (options.groups ? 1 : 0);
        if (rules != 1) {
            throw UsageError("prune: exactly one of --sparsity, --threshold and --nm is wanted");
        }
        if ((options.per_row || options.together) && (!options.sparsity || (options.per_row && options.together))) {
            throw UsageError("prune: --per-row or --global goes with --sparsity, and not both do");
        }
    }
}

}  // namespace detail

/// The options, or nothing if help was asked for and has been printed.
/// @throws UsageError for a command line that cannot be followed
inline std::optional<Options> parse_options(int argc, const char* const* argv) {
    Options options;
    std::string groups;
    CLI::App app("Looks into files of weights, converts them, and prunes them.", "snack_tool");
    app.footer(
        "The kind of a file is told by its end: .safetensors, .mtx (Matrix Market), .smtx (topologies of the Deep\n"
        "Learning Matrix Collection), .npy (NumPy).\n\n"
        "Ends with 0, with 1 if a file cannot be read or written or is not what it should be, and with 2 for a "
        "command\n"
        "line that cannot be followed; then standard error has one line that says why.");
    app.require_subcommand(1);
    detail::add_files(*app.add_subcommand("inspect", "Says what is in a file, and reads all of it"), options, false);
    CLI::App& convert =
        *app.add_subcommand("convert", "Writes one matrix of IN, sparse or dense, as another kind of file");
    detail::add_files(convert, options, true);
    detail::add_choices(convert, options);
    convert.footer(
        "Of a .safetensors the one layer or matrix is taken that --tensors leaves. A sparse matrix becomes a layer of\n"
        ".safetensors, coordinates in .mtx, a topology in .smtx, which keeps no values, and a dense array in .npy. A\n"
        "dense one becomes a tensor, an array in .mtx, in .smtx the places that are not zero, and an array in .npy.\n"
        "OUT cannot be IN.");
    detail::add_prune(app, options, groups);
    detail::require_command(app, argc > 1 ? argv[1] : "");
    if (!examples::parse_command_line(app, argc, argv)) {
        return std::nullopt;
    }
    options.command = app.get_subcommands().front()->get_name();
    if (!groups.empty()) {
        options.groups = detail::parse_groups(groups);
    }
    detail::check(options);
    return options;
}

}  // namespace tool

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The command line of the training example. Every value is checked here, so that a mistake ends
// in one line before any work is done.

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <examples/support/command_line.hpp>
#include <examples/support/fashion_mnist.hpp>

namespace examples {

struct TrainOptions {
    Size epochs = 15;
    bool epochs_given = false;
    double sparsity = 0.95;
    std::string density = "erk";
    std::vector<Size> hidden = {1000, 1000, 1000};
    Size batch = 100;
    double learning_rate = 0.1;
    std::string optimizer = "sgd";
    std::string backend = "host";
    std::uint64_t seed = 1;
    int threads = hardware_threads();
    bool fixed_topology = false;
    std::string data = fashion_mnist_directory;
    Size stop_after = 0;  ///< an epoch; 0 for the last
    std::string save;     ///< files; empty for none
    std::string load;
};

namespace detail {

/// Layer widths separated by commas; empty if any is not a number from 1 to 65536.
inline std::vector<Size> parse_widths(const std::string& text) {
    std::vector<Size> widths;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::optional<Size> width = parse_number<Size>(std::string_view(text).substr(begin, end - begin));
        if (!width || *width < 1 || *width > 65536) {
            return {};
        }
        widths.push_back(*width);
        begin = end + 1;
    }
    return widths;
}

inline std::string check_widths(const std::string& text) {
    return parse_widths(text).empty() ? "'" + text + "' is not a list like 300,100 of widths from 1 to 65536" : "";
}

/// A number in as few digits as give it back.
inline std::string digits_of(double number) {
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

inline std::string join(const std::vector<Size>& widths) {
    std::string text;
    for (const Size width : widths) {
        text += text.empty() ? "" : ",";
        text += std::to_string(width);
    }
    return text;
}

}  // namespace detail

/// What makes one run the same as another, by the names of the options.
inline std::map<std::string, std::string> settings_of(const TrainOptions& options) {
    return {{"epochs", std::to_string(options.epochs)},
            {"sparsity", detail::digits_of(options.sparsity)},
            {"density", options.density},
            {"hidden", detail::join(options.hidden)},
            {"batch", std::to_string(options.batch)},
            {"lr", detail::digits_of(options.learning_rate)},
            {"optimizer", options.optimizer},
            {"seed", std::to_string(options.seed)},
            {"static", options.fixed_topology ? "true" : "false"}};
}

namespace detail {

/// The options that settings_of gives; those that are parsed later are texts.
inline void add_settings(CLI::App& app, TrainOptions& options, std::string& hidden, std::string& learning_rate) {
    app.add_option("--epochs", options.epochs, "Passes over the training images")
        ->check(whole_number<Size>(1, 1000000))
        ->type_name("N");
    app.add_option("--sparsity", options.sparsity, "Share of connections that do not exist, overall")
        ->check(real_number([](double s) { return s >= 0 && s < 1; }, "from 0 to below 1"))
        ->type_name("S");
    app.add_option("--density", options.density,
                   "How layers share the connections: erk keeps small layers dense, uniform treats all alike")
        ->check(CLI::IsMember({"erk", "uniform"}))
        ->type_name("RULE");
    app.add_option("--hidden", hidden, "Widths of the hidden layers, separated by commas")
        ->check(check_widths)
        ->type_name("N,N,...");
    app.add_option("--batch", options.batch, "Images per step")
        ->check(whole_number<Size>(1, std::numeric_limits<std::int32_t>::max()))
        ->type_name("N");
    app.add_option("--lr", learning_rate, "Learning rate of the first step; fades to 0 along a cosine")
        ->check(real_number([](double r) { return r > 0 && r <= 1000; }, "above 0, at most 1000"))
        ->default_str("0.1 for sgd, 0.001 for adam")
        ->type_name("R");
    app.add_option("--optimizer", options.optimizer, "sgd with momentum 0.9, or adam; weight decay 1e-4 in both")
        ->check(CLI::IsMember({"sgd", "adam"}))
        ->type_name("NAME");
    app.add_option("--seed", options.seed, "Same seed and options, same result, at any number of threads")
        ->check(whole_number<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max()))
        ->type_name("N");
    app.add_flag("--static", options.fixed_topology,
                 "Keep the connections of the start; do not rewire (default: rewire)");
}

/// Where training happens, and on what.
inline void add_places(CLI::App& app, TrainOptions& options) {
    app.add_option("--backend", options.backend,
                   "host, the processor, or cuda, a GPU, if the program was built with it")
        ->check(CLI::IsMember({"host", "cuda"}))
        ->type_name("NAME");
    app.add_option("--threads", options.threads, "Threads of the processor to use; all of them by default")
        ->check(whole_number<int>(1, 1024))
        ->type_name("N");
    app.add_option("--data", options.data, "Folder with the four files of the data set, gzipped or not")
        ->type_name("DIR");
}

/// How it stops and goes on.
inline void add_files(CLI::App& app, TrainOptions& options) {
    app.add_option(
           "--stop-after", options.stop_after,
           "Stop after this epoch, to go on with --load some other time; what happens in an epoch still depends "
           "on --epochs")
        ->check(whole_number<Size>(1, 1000000))
        ->default_str("the last")
        ->type_name("N");
    app.add_option("--save", options.save,
                   "After each epoch, write network, optimiser and options to a safetensors file; one that is there is "
                   "replaced")
        ->type_name("FILE");
    CLI::Option* load =
        app.add_option("--load", options.load,
                       "Go on from a file of --save, as if training had never stopped: with its options, "
                       "of which only --epochs can be given anew")
            ->type_name("FILE");
    for (const auto& [name, value] : settings_of(options)) {
        if (name != "epochs") {
            app.get_option("--" + name)->excludes(load);
        }
    }
}

}  // namespace detail

/// The options, or nothing if help was asked for and has been printed.
/// @throws UsageError for an unknown option or a value out of range
inline std::optional<TrainOptions> parse_train_options(int argc, const char* const* argv) {
    TrainOptions options;
    std::string hidden = detail::join(options.hidden);
    std::string learning_rate;
    CLI::App app("Trains a sparse multi-layer perceptron on Fashion-MNIST.", "02_train");
    detail::add_settings(app, options, hidden, learning_rate);
    detail::add_places(app, options);
    detail::add_files(app, options);
    for (CLI::Option* option : app.get_options()) {
        if (option->get_default_str().empty() && option->get_items_expected_max() > 0) {
            option->capture_default_str();
        }
    }
    if (!parse_command_line(app, argc, argv)) {
        return std::nullopt;
    }
    options.epochs_given = app.count("--epochs") > 0;
    options.hidden = detail::parse_widths(hidden);
    options.learning_rate = learning_rate.empty() ? (options.optimizer == "sgd" ? 0.1 : 0.001)
                                                  : *detail::parse_number<double>(learning_rate);
    return options;
}

/// `given`, which has --load, with the settings that were saved, under the same names as settings_of gives them.
/// @throws UsageError for one that is missing or out of range
inline TrainOptions with_settings(const TrainOptions& given, const std::map<std::string, std::string>& settings) {
    std::vector<std::string> arguments{"02_train"};
    for (const auto& [name, unused] : settings_of(given)) {
        const auto setting = settings.find(name);
        if (setting == settings.end()) {
            throw UsageError("there is no --" + name);
        }
        arguments.push_back("--" + name + "=" + setting->second);
    }
    std::vector<const char*> pointers;
    for (const std::string& argument : arguments) {
        pointers.push_back(argument.c_str());
    }
    TrainOptions options = *parse_train_options(static_cast<int>(pointers.size()), pointers.data());
    if (given.epochs_given) {
        options.epochs = given.epochs;
    }
    options.backend = given.backend;
    options.threads = given.threads;
    options.data = given.data;
    options.stop_after = given.stop_after;
    options.save = given.save;
    options.load = given.load;
    return options;
}

}  // namespace examples

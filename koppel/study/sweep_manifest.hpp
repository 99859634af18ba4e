// The manifest of a sweep: all that its rows depend on. Two sweeps with the same manifest have the
// same rows, byte for byte.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <koppel/study/sweep.hpp>

namespace koppel {

// Names, and values as compact JSON, in order.
using Manifest = std::vector<std::pair<std::string, std::string>>;

// Of a sweep that is prepared. Reads the model as it is.
Manifest make_manifest(const Sweep& sweep);
// What a run of these options depends on.
void add_run(const SimulateOptions& options, Manifest& out);

std::string to_json(const Manifest& manifest);  // in one line

// What a manifest that was written before says differently, in words; empty: nothing.
std::string differences(const Manifest& here, const std::string& there);

// What the model says: its equations with their tables, its events and outputs, its parameters and
// its start, in 128 bits [Fowler, Noll & Vo].
std::string fingerprint(const Model& model);

}  // namespace koppel

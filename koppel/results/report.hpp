// The report: one HTML file with summary, plots and animation that needs nothing else to be looked
// at. The page is made by viewer/ and embedded in the library; a report is the page with its data
// put in as JSON.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <koppel/results/scene.hpp>
#include <koppel/results/trajectory.hpp>

namespace koppel {

struct Report {
  std::string title, description;
  std::vector<std::pair<std::string, std::string>> summary;  // label and value
  std::vector<std::string> messages;
  const Trajectory* trajectory = nullptr;
  std::optional<Scene> scene;
  // Another scene on its left, to compare: what it is, and then what the other one is.
  std::optional<Scene> beside = {};
  std::string beside_label = {}, scene_label = {};
  std::vector<std::string> alarms = {};  // why the result should not be trusted: in red
};

// How much a page shows: more is thinned out evenly, so that pages stay small and quick. Very many
// columns are shown at fewer times.
inline constexpr std::size_t kMaxPlotted = 1500;  // rows
inline constexpr std::size_t kMaxFrames = 600;
inline constexpr std::size_t kMaxNumbers = 300'000;

// The data as JSON, safe inside a <script>: every "<" is written \u003c. Numbers have seven
// digits; those that are not finite are null.
std::string to_json(const Report& report);

std::string to_html(const Report& report);

// Throws WriteError.
void write_report(const std::filesystem::path& path, const Report& report);

}  // namespace koppel

#include <koppel/results/hdf5.hpp>

#include <hdf5.h>

#include <gtest/gtest.h>

#include <koppel/results/csv.hpp>

#include "tests/temporary_folder.hpp"

namespace koppel {
namespace {

std::string text_of(hid_t of, const char* name) {
  const hid_t attribute = H5Aopen(of, name, H5P_DEFAULT);
  if (attribute < 0) return "(none)";
  const hid_t type = H5Aget_type(attribute);
  std::string text(H5Tget_size(type), '\0');
  EXPECT_GE(H5Aread(attribute, type, text.data()), 0);
  H5Tclose(type);
  H5Aclose(attribute);
  return text;
}

TEST(Hdf5, ColumnsComeBackWithTheirUnits) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "a.h5").string();
  Trajectory trajectory({{"t", "s", Group::Time}, {"x/y", "m", Group::Outputs}});
  trajectory.append(std::array{0.0, 1.0 / 3});
  trajectory.append(std::array{0.1, 2.0 / 3});
  write_hdf5(path, trajectory, {});

  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const hid_t data = H5Dopen2(file, "/outputs/x:y", H5P_DEFAULT);
  ASSERT_GE(data, 0);
  double values[2] = {};
  EXPECT_GE(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
  EXPECT_EQ(values[0], 1.0 / 3);
  EXPECT_EQ(values[1], 2.0 / 3);
  EXPECT_EQ(text_of(data, "unit"), "m");
  EXPECT_GT(H5Aexists(file, "summary"), 0);
  H5Dclose(data);
  const hid_t time = H5Dopen2(file, "/time/t", H5P_DEFAULT);
  ASSERT_GE(time, 0);
  EXPECT_EQ(text_of(time, "unit"), "s");
  H5Dclose(time);
  H5Fclose(file);
}

TEST(Hdf5, AFileThatCannotBeMadeIsAnError) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "none" / "a.h5").string();
  try {
    write_hdf5(path, Trajectory({{"t", "s", Group::Time}}), {});
    FAIL();
  } catch (const WriteError& error) {
    EXPECT_EQ(error.what(), path + " cannot be written: No such file or directory.");
  }
}

TEST(Hdf5, TablesComeBackByGroupAndNameWithTheirText) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "table.h5").string();
  write_hdf5(path, Hdf5Table{{{"parameters", "a", {1, 2}}, {"criteria", "x:max", {0.25, 1.0 / 3}}},
                             "manifest",
                             "{}"});
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  EXPECT_EQ(text_of(file, "manifest"), "{}");
  const hid_t data = H5Dopen2(file, "/criteria/x:max", H5P_DEFAULT);
  ASSERT_GE(data, 0);
  double values[2] = {};
  EXPECT_GE(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
  EXPECT_EQ(values[1], 1.0 / 3);
  H5Dclose(data);
  H5Fclose(file);
}

}  // namespace
}  // namespace koppel

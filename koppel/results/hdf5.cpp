#include <koppel/results/hdf5.hpp>

#include <hdf5.h>

#include <algorithm>

#include <koppel/base/whole_file.hpp>

namespace koppel {
namespace {

struct Refused {
  const char* what;
};

// An id of the C interface, closed at the end.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const char* what) : id_(id), close_(close) {
    if (id < 0) throw Refused{what};
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close_(id_); }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void check(herr_t status, const char* what) {
  if (status < 0) throw Refused{what};
}

void add_text(hid_t to, const char* name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "a type of text");
  check(H5Tset_size(type, std::max<std::size_t>(text.size(), 1)), "the length of a text");
  check(H5Tset_cset(type, H5T_CSET_UTF8), "the encoding of a text");
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "a space");
  const Handle attribute(H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         "an attribute");
  check(H5Awrite(attribute, type, text.empty() ? "\0" : text.data()), "an attribute");
}

void add_column(hid_t group, const Column& column, std::span<const double> values) {
  std::string name = column.name;
  std::replace(name.begin(), name.end(), '/', ':');
  const hsize_t size = values.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose, "a space");
  // The same values are the same bytes, whenever they are written.
  const Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "a dataset");
  check(H5Pset_obj_track_times(how, false), "a dataset");
  const Handle data(
      H5Dcreate2(group, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT),
      H5Dclose, "a dataset");
  check(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
        "a dataset");
  add_text(data, "unit", column.unit);
}

// The file is made in memory and then written as one text: on a full disk the library keeps what
// it could not write, tries again when the program ends, and crashes.
template <typename Fill>
void write(WholeFile& out, const Fill& fill) {
  constexpr std::size_t kIncrement = std::size_t{1} << 20;  // bytes by which the memory grows
  const Handle in_memory(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "memory");
  check(H5Pset_fapl_core(in_memory, kIncrement, false), "memory");
  const Handle file(H5Fcreate("trajectory", H5F_ACC_TRUNC, H5P_DEFAULT, in_memory), H5Fclose,
                    "the file");
  fill(static_cast<hid_t>(file));
  check(H5Fflush(file, H5F_SCOPE_GLOBAL), "the file");
  void** memory = nullptr;
  hsize_t size = 0;
  check(H5Fget_vfd_handle(file, in_memory, reinterpret_cast<void**>(&memory)), "the file");
  check(H5Fget_filesize(file, &size), "the file");
  out.write({static_cast<const char*>(*memory), static_cast<std::size_t>(size)});
}

// add(group, i) adds the i-th column; those of a group stand together.
template <typename NameOf, typename Add>
void add_groups(hid_t file, std::size_t count, const NameOf& name_of_group, const Add& add) {
  for (std::size_t first = 0; first < count;) {
    const std::string name = name_of_group(first);
    const Handle group(H5Gcreate2(file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                       H5Gclose, "a group");
    std::size_t i = first;
    for (; i < count && name_of_group(i) == name; ++i) add(group, i);
    first = i;
  }
}

void fill_with(hid_t file, const Trajectory& trajectory, const Summary& summary) {
  // An attribute may have 64 KiB; the summary of a large model may be longer.
  Summary shorter = summary;
  if (to_json(summary).size() > 60'000) shorter.statistics.clear(), shorter.final.clear();
  add_text(file, "summary", to_json(shorter));
  add_groups(
      file, trajectory.num_columns(),
      [&](std::size_t i) { return std::string(name_of(trajectory.columns()[i].group)); },
      [&](hid_t group, std::size_t i) {
        add_column(group, trajectory.columns()[i], trajectory.column(i));
      });
}

void fill_with(hid_t file, const Hdf5Table& table) {
  add_text(file, table.about.c_str(), table.text);
  add_groups(
      file, table.parts.size(), [&](std::size_t i) { return table.parts[i].group; },
      [&](hid_t group, std::size_t i) {
        add_column(group, {table.parts[i].name, ""}, table.parts[i].values);
      });
}

template <typename Fill>
void write_whole(const std::filesystem::path& path, const Fill& fill) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are thrown, not printed
  WholeFile out(path);
  try {
    write(out, fill);
  } catch (const Refused& refused) {
    throw WriteError(path.string() + " cannot be written: HDF5 refused " + refused.what + ".");
  }
  out.keep();
}

}  // namespace

void require_hdf5() {}

void write_hdf5(const std::filesystem::path& path, const Trajectory& trajectory,
                const Summary& summary) {
  write_whole(path, [&](hid_t file) { fill_with(file, trajectory, summary); });
}

void write_hdf5(const std::filesystem::path& path, const Hdf5Table& table) {
  write_whole(path, [&](hid_t file) { fill_with(file, table); });
}

}  // namespace koppel

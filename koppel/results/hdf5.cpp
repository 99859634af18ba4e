#include <koppel/results/hdf5.hpp>

#include <hdf5.h>

#include <algorithm>
#include <memory>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/needed_library.hpp>
#include <koppel/base/whole_file.hpp>

namespace koppel {
namespace {

// What is used of HDF5, by its own names. The library brings forty others along (some versions can
// read files over the network): they are loaded when a file is to be written, not whenever the
// program starts, which would take twice as long.
struct Hdf5 : NeededLibrary {
  Hdf5()
      : NeededLibrary(
            KOPPEL_HDF5_LIBRARY,
            {"results.without-hdf5", "HDF5",
             "trajectory.csv has the same numbers; or install " KOPPEL_HDF5_LIBRARY "."}) {
    decltype(::H5open)* const open = find("H5open");
    if (open() < 0) refuse("it cannot be opened");
  }

  decltype(::H5Aclose)* H5Aclose = find("H5Aclose");
  decltype(::H5Acreate2)* H5Acreate2 = find("H5Acreate2");
  decltype(::H5Awrite)* H5Awrite = find("H5Awrite");
  decltype(::H5Dclose)* H5Dclose = find("H5Dclose");
  decltype(::H5Dcreate2)* H5Dcreate2 = find("H5Dcreate2");
  decltype(::H5Dwrite)* H5Dwrite = find("H5Dwrite");
  decltype(::H5Eset_auto2)* H5Eset_auto2 = find("H5Eset_auto2");
  decltype(::H5Fclose)* H5Fclose = find("H5Fclose");
  decltype(::H5Fcreate)* H5Fcreate = find("H5Fcreate");
  decltype(::H5Fflush)* H5Fflush = find("H5Fflush");
  decltype(::H5Fget_filesize)* H5Fget_filesize = find("H5Fget_filesize");
  decltype(::H5Fget_vfd_handle)* H5Fget_vfd_handle = find("H5Fget_vfd_handle");
  decltype(::H5Gclose)* H5Gclose = find("H5Gclose");
  decltype(::H5Gcreate2)* H5Gcreate2 = find("H5Gcreate2");
  decltype(::H5Pclose)* H5Pclose = find("H5Pclose");
  decltype(::H5Pcreate)* H5Pcreate = find("H5Pcreate");
  decltype(::H5Pset_fapl_core)* H5Pset_fapl_core = find("H5Pset_fapl_core");
  decltype(::H5Pset_obj_track_times)* H5Pset_obj_track_times = find("H5Pset_obj_track_times");
  decltype(::H5Sclose)* H5Sclose = find("H5Sclose");
  decltype(::H5Screate)* H5Screate = find("H5Screate");
  decltype(::H5Screate_simple)* H5Screate_simple = find("H5Screate_simple");
  decltype(::H5Tclose)* H5Tclose = find("H5Tclose");
  decltype(::H5Tcopy)* H5Tcopy = find("H5Tcopy");
  decltype(::H5Tset_cset)* H5Tset_cset = find("H5Tset_cset");
  decltype(::H5Tset_size)* H5Tset_size = find("H5Tset_size");
  // Set by H5open, which the macros of these values call.
  const hid_t* H5T_C_S1_g = find_variable<hid_t>("H5T_C_S1_g");
  const hid_t* H5T_IEEE_F64LE_g = find_variable<hid_t>("H5T_IEEE_F64LE_g");
  const hid_t* H5T_NATIVE_DOUBLE_g = find_variable<hid_t>("H5T_NATIVE_DOUBLE_g");
  const hid_t* H5P_CLS_DATASET_CREATE_ID_g = find_variable<hid_t>("H5P_CLS_DATASET_CREATE_ID_g");
  const hid_t* H5P_CLS_FILE_ACCESS_ID_g = find_variable<hid_t>("H5P_CLS_FILE_ACCESS_ID_g");
};

const Hdf5& hdf5() {
  static const Hdf5 loaded;
  return loaded;
}

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
  const Handle type(hdf5().H5Tcopy(*hdf5().H5T_C_S1_g), hdf5().H5Tclose, "a type of text");
  check(hdf5().H5Tset_size(type, std::max<std::size_t>(text.size(), 1)), "the length of a text");
  check(hdf5().H5Tset_cset(type, H5T_CSET_UTF8), "the encoding of a text");
  const Handle space(hdf5().H5Screate(H5S_SCALAR), hdf5().H5Sclose, "a space");
  const Handle attribute(hdf5().H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT),
                         hdf5().H5Aclose, "an attribute");
  check(hdf5().H5Awrite(attribute, type, text.empty() ? "\0" : text.data()), "an attribute");
}

void add_column(hid_t group, const Column& column, std::span<const double> values) {
  std::string name = column.name;
  std::replace(name.begin(), name.end(), '/', ':');
  const hsize_t size = values.size();
  const Handle space(hdf5().H5Screate_simple(1, &size, nullptr), hdf5().H5Sclose, "a space");
  // The same values are the same bytes, whenever they are written.
  const Handle how(hdf5().H5Pcreate(*hdf5().H5P_CLS_DATASET_CREATE_ID_g), hdf5().H5Pclose,
                   "a dataset");
  check(hdf5().H5Pset_obj_track_times(how, false), "a dataset");
  const Handle data(hdf5().H5Dcreate2(group, name.c_str(), *hdf5().H5T_IEEE_F64LE_g, space,
                                      H5P_DEFAULT, how, H5P_DEFAULT),
                    hdf5().H5Dclose, "a dataset");
  check(hdf5().H5Dwrite(data, *hdf5().H5T_NATIVE_DOUBLE_g, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                        values.data()),
        "a dataset");
  add_text(data, "unit", column.unit);
}

// The file is made in memory and then written as one text: on a full disk the library keeps what
// it could not write, tries again when the program ends, and crashes.
template <typename Fill>
void write(WholeFile& out, const Fill& fill) {
  constexpr unsigned kTruncate = 2;  // H5F_ACC_TRUNC, a macro that calls functions of the library
  constexpr std::size_t kIncrement = std::size_t{1}
                                     << 16;  // bytes by which the memory and the file grow
  const Handle in_memory(hdf5().H5Pcreate(*hdf5().H5P_CLS_FILE_ACCESS_ID_g), hdf5().H5Pclose,
                         "memory");
  check(hdf5().H5Pset_fapl_core(in_memory, kIncrement, false), "memory");
  const Handle file(hdf5().H5Fcreate("trajectory", kTruncate, H5P_DEFAULT, in_memory),
                    hdf5().H5Fclose, "the file");
  fill(static_cast<hid_t>(file));
  check(hdf5().H5Fflush(file, H5F_SCOPE_GLOBAL), "the file");
  void** memory = nullptr;
  hsize_t size = 0;
  check(hdf5().H5Fget_vfd_handle(file, in_memory, reinterpret_cast<void**>(&memory)), "the file");
  check(hdf5().H5Fget_filesize(file, &size), "the file");
  out.write({static_cast<const char*>(*memory), static_cast<std::size_t>(size)});
}

// add(group, i) adds the i-th column; those of a group stand together.
template <typename NameOf, typename Add>
void add_groups(hid_t file, std::size_t count, const NameOf& name_of_group, const Add& add) {
  for (std::size_t first = 0; first < count;) {
    const std::string name = name_of_group(first);
    const Handle group(hdf5().H5Gcreate2(file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                       hdf5().H5Gclose, "a group");
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
  hdf5().H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are thrown, not printed
  WholeFile out(path);
  try {
    write(out, fill);
  } catch (const Refused& refused) {
    throw WriteError(path.string() + " cannot be written: HDF5 refused " + refused.what + ".");
  }
  out.keep();
}

}  // namespace

void require_hdf5() { hdf5(); }

void write_hdf5(const std::filesystem::path& path, const Trajectory& trajectory,
                const Summary& summary) {
  write_whole(path, [&](hid_t file) { fill_with(file, trajectory, summary); });
}

void write_hdf5(const std::filesystem::path& path, const Hdf5Table& table) {
  write_whole(path, [&](hid_t file) { fill_with(file, table); });
}

}  // namespace koppel

// An XML text whose elements and attributes know their places, and mistakes about them. Internal
// to the reader.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/linear.hpp>
#include <koppel/model/yaml/tree.hpp>

namespace koppel::urdf {

class Document {
 public:
  Document(const yaml::Source& source, std::vector<Diagnostic>& mistakes);

  // The element <robot>; empty when the text is not the XML of one (reported).
  pugi::xml_node open();

  void report(std::size_t offset, std::string_view id, std::string message, std::string hint = {});

  std::size_t offset_of(pugi::xml_node element) const;
  // Of the attribute's value, where there is one; else of the element.
  std::size_t offset_of(pugi::xml_node element, std::string_view attribute) const;

  // Attributes must be among these.
  void check_attributes(pugi::xml_node element, const std::string& what,
                        std::initializer_list<std::string_view> known);
  // Elements inside may be anything but near misses of these.
  void check_elements(pugi::xml_node element, const std::string& what,
                      std::initializer_list<std::string_view> known);

  // Nothing: there is no such attribute, or (reported) it is not what it should be.
  std::optional<double> number(pugi::xml_node element, const char* attribute,
                               const std::string& what);
  std::optional<Vec3<double>> vector(pugi::xml_node element, const char* attribute,
                                     const std::string& what);
  // Those that must be there.
  std::optional<double> required_number(pugi::xml_node element, const char* attribute,
                                        const std::string& what);
  std::optional<std::string> required_text(pugi::xml_node element, const char* attribute,
                                           const std::string& what);

 private:
  std::vector<double> numbers(pugi::xml_node element, const char* attribute, std::size_t count,
                              const std::string& what);

  const yaml::Source& source_;
  std::vector<Diagnostic>& mistakes_;
  pugi::xml_document xml_;
};

}  // namespace koppel::urdf

// GPT-2's tokenizer from the files of its vocabulary. runner/gpt2.py is around it.
#include <pybind11/stl.h>

#include "apps/python/host/host.h"
#include "apps/text/tokenizer.h"
#include "bind.h"

namespace py = pybind11;

namespace glassgrad::python {
namespace {

py::bytes decoded(const Tokenizer& tokenizer, const std::vector<int64_t>& ids) {
  return tokenizer.decode(ids);
}

}  // namespace

void bind_tokenizer(py::module_& m) {
  py::class_<Tokenizer>(m, "Tokenizer")
      .def("encode", &Tokenizer::encode, py::arg("text"))
      .def("decode", decoded, py::arg("ids"))
      .def("__len__", &Tokenizer::size);
  m.def("load_gpt2_tokenizer", &load_gpt2_tokenizer, py::arg("vocab_json"), py::arg("merges_txt"));
}

}  // namespace glassgrad::python

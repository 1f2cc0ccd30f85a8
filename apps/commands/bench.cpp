// The command `bench`: how fast this machine is, and how much of its speed the engine uses.
#include "apps/commands/commands.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/arguments.h"
#include "apps/cli/device.h"
#include "apps/cli/json_number.h"
#include "apps/prove/bench/machine.h"
#include "apps/prove/bench/rows.h"
#include "engine/core/error.h"
#include "engine/core/threads.h"
#include "engine/gpus.h"
#include "engine/ops.h"

namespace glassgrad::bench {
namespace {

// Returns the rows whose names begin with a word of `given`, which commas separate; all rows without `given`.
std::vector<const BenchRow*> chosen_rows(const std::optional<std::string>& given) {
  std::vector<const BenchRow*> chosen;
  const std::string text = given.value_or("");
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    const std::string name = text.substr(at, comma - at);
    const size_t before = chosen.size();
    for (const BenchRow& row : rows())
      if (row.name.starts_with(name)) chosen.push_back(&row);
    if (chosen.size() == before) {
      std::vector<std::string> names;
      for (const BenchRow& row : rows()) names.push_back(row.name);
      fail<UsageError>("--rows: there is no row '{}': did you mean {}? `glassgrad bench --rows list` has all",
                       name, nearest(name, names));
    }
    at = comma + 1;
  }
  return chosen;
}

struct Result {
  const BenchRow* row;
  int threads;
  double measured, share;                              // seconds or bytes; share of the peak, 0: unknown
  std::vector<std::pair<const char*, double>> others;  // the reference GEMMs' figures
};

// The reference GEMM's seconds for the same product.
double reference_seconds(const ReferenceGemm& reference, const Product& p, double for_seconds) {
  Generator g(1);
  const Tensor a = randn(p.batches * p.m * p.k, float32, g), b = randn(p.batches * p.k * p.n, float32, g);
  const Tensor y = empty(p.batches * p.m * p.n);
  return median_seconds(
      [&] { reference.product(p, a.raw().as<float>(), b.raw().as<float>(), y.raw().as<float>()); },
      for_seconds);
}

Result measure(const BenchRow& row, int threads, double peak, double for_seconds) {
  set_threads(threads);
  const double measured = row.bytes ? row.bytes() : median_seconds(row.make(), for_seconds);
  Result r{&row, threads, measured, peak > 0 ? row.flops / measured / peak : 0, {}};
  if (row.product && default_device == kCpu)
    for (const ReferenceGemm& y : reference_gemms(threads))
      r.others.emplace_back(y.name, row.rate(reference_seconds(y, *row.product, for_seconds)));
  return r;
}

struct Machine {
  int threads;
  double flops, bytes;  // per second; flops is 0 if unknown
};

// Measures the processor with one thread and with all threads, or the GPU.
std::vector<Machine> machines_here(double for_seconds) {
  if (default_device.type == DeviceType::CUDA)
    return {{threads(), 0, gpu_bandwidth(default_device.index, for_seconds)}};
  std::vector<int> counts = {1};
  if (threads() > 1) counts.push_back(threads());
  std::vector<Machine> machines;
  for (const int n : counts) {
    set_threads(n);
    machines.push_back({n, peak_flops(n, for_seconds), bandwidth(n, for_seconds)});
  }
  return machines;
}

std::string text_of(const Machine& m) {
  if (default_device.type == DeviceType::CUDA)
    return fmt::format("{}, {}: {:.0f} GB/s\n", to_string(default_device), gpu_name(default_device.index),
                       m.bytes / 1e9);
  return fmt::format("{} with {} thread{}: {:.0f} GFLOP/s, {:.0f} GB/s\n", instruction_set(), m.threads,
                     m.threads > 1 ? "s" : "", m.flops / 1e9, m.bytes / 1e9);
}
std::string text_of(const Result& r) {
  std::string line =
      fmt::format("{:<20}{:>3}{:>12.4g} {:<9}{:>5}", r.row->name, r.threads, r.row->rate(r.measured),
                  r.row->unit, r.share > 0 ? fmt::format("{:.0f}%", 100 * r.share) : "");
  for (const auto& [name, rate] : r.others) line += fmt::format("  {} {:.4g}", name, rate);
  return line + "\n";
}

Json json_of(const Machine& m) { return {{"threads", m.threads}, {"flops", m.flops}, {"bytes", m.bytes}}; }
Json json_of(const Result& r) {
  Json others = Json::object();
  for (const auto& [name, rate] : r.others) others[name] = json_number(rate);
  return {{"name", r.row->name},
          {"what", r.row->what},
          {"threads", r.threads},
          {r.row->bytes ? "bytes" : "seconds", json_number(r.measured)},
          {"rate", json_number(r.row->rate(r.measured))},
          {"unit", r.row->unit},
          {"flops", json_number(r.row->flops)},
          {"share_of_peak", r.share > 0 ? json_number(r.share) : Json()},
          {"yardsticks", others}};
}

void list_rows(Output& out) {
  for (const BenchRow& row : rows()) out.write(fmt::format("{:<20}{:<9} {}\n", row.name, row.unit, row.what));
}

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // Throws UsageError for an unknown row.
  void run(Output& out) const override;

 private:
  CLI::Option *rows_, *seconds_, *threads_, *matmul_, *device_, *format_;
};

}  // namespace

Command::Command(CLI::App& program)
    : Subcommand(program, CommandGroup::Prove, "bench", "Measure this machine, and the engine on it",
                 "glassgrad bench --rows mm,attention"),
      rows_(add_value("--rows", "NAMES",
                      "Beginnings of row names, separated by commas; list shows the names (all)")),
      seconds_(add_value("--seconds", "S", "How long each row is measured (0.5)")),
      threads_(add_value("--threads", "N", kThreads)),
      matmul_(add_value("--matmul", "PRECISION", kMatmul)),
      device_(add_value("--device", "NAME", kDevices)),
      format_(add_value("--format", "FORMAT", "text or json (text)")) {}

void Command::run(Output& out) const {
  const std::string format = given(format_).value_or("text");
  check<UsageError>(format == "text" || format == "json", "--format is text or json, not '{}'", format);
  const DefaultDevice device = use_device(device_);  // each device has its own rows
  if (given(rows_) == "list") return list_rows(out);
  const std::vector<const BenchRow*> chosen = chosen_rows(given(rows_));
  const double for_seconds = given_number(seconds_, 0.001, 3600).value_or(0.5);
  use_threads(threads_);
  use_matmul(matmul_);
  const std::vector<Machine> machines = machines_here(for_seconds);
  const bool json = format == "json";
  Json table = Json::array(), machine = Json::array();
  for (const Machine& m : machines) json ? machine.push_back(json_of(m)) : out.write(text_of(m));
  for (const BenchRow* row : chosen)
    for (const Machine& m : machines) {
      if (row->one_thread && &m != &machines.front()) continue;
      const Result r = measure(*row, m.threads, m.flops, for_seconds);
      json ? table.push_back(json_of(r)) : out.write(text_of(r));
      if (!json) out.flush();
    }
  const bool on_gpu = default_device.type == DeviceType::CUDA;
  if (!json) {
    const std::vector<std::string> plans = cublaslt_plans();
    if (on_gpu)
      out.write(plans.empty() ? "No product was cuBLASLt's: not installed, or all were small.\n"
                              : "Products that were cuBLASLt's, and its kernels:\n");
    for (const std::string& plan : plans) out.write(plan + "\n");
    return;
  }
  Json all = {{"cpu", instruction_set()}, {"device", to_string(default_device)}};
  if (on_gpu) all["gpu"] = gpu_name(default_device.index), all["cublaslt"] = cublaslt_plans();
  all["machine"] = machine, all["rows"] = table;
  out.write(json_text(all, 2) + "\n");
}

std::unique_ptr<Subcommand> command(CLI::App& program) { return std::make_unique<Command>(program); }

}  // namespace glassgrad::bench

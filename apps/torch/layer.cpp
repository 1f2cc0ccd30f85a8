#include "layer.h"

namespace glassgrad::GG_HOST {
namespace {

constexpr LayerRow kLayers[] = {
    // ---- at each element
    {"activation", "Sigmoid()", "sigmoid(input)", ""},
    {"activation", "Tanh()", "tanh(input)", ""},
    {"activation", "GELU(str approximate='none')", "gelu(input; approximate=)", "approximate="},
    {"activation", "ReLU(bool inplace=False)", "relu(input; inplace=)", "inplace?"},
    {"activation", "SiLU(bool inplace=False)", "silu(input; inplace=)", "inplace?"},
    {"activation", "LeakyReLU(float negative_slope=0.01, bool inplace=False)",
     "leaky_relu(input; negative_slope, inplace)", "negative_slope= inplace?"},
    {"activation", "ELU(float alpha=1.0, bool inplace=False)", "elu(input; alpha, inplace)",
     "alpha= inplace?"},
    {"activation", "Softplus(float beta=1.0, float threshold=20.0)", "softplus(input; beta, threshold)",
     "beta= threshold="},
    {"activation", "Threshold(float threshold, float value, bool inplace=False)",
     "threshold(input; threshold, value, inplace)", "threshold= value= inplace?"},
    {"activation", "SELU(bool inplace=False)", "selu(input; inplace=)", "inplace?"},
    {"activation", "CELU(float alpha=1.0, bool inplace=False)", "celu(input; alpha=, inplace=)",
     "alpha= inplace?"},
    {"activation", "ReLU6(bool inplace=False)", "relu6(input; inplace=)", "inplace?"},
    {"activation", "Mish(bool inplace=False)", "mish(input; inplace=)", "inplace?"},
    {"activation", "Hardsigmoid(bool inplace=False)", "hardsigmoid(input; inplace=)", "inplace?"},
    {"activation", "Hardswish(bool inplace=False)", "hardswish(input; inplace=)", "inplace?"},
    {"activation", "Hardtanh(float min_val=-1.0, float max_val=1.0, bool inplace=False)",
     "hardtanh(input; min_val=, max_val=, inplace=)", "min_val= max_val= inplace?"},
    {"activation", "LogSigmoid()", "logsigmoid(input)", ""},
    {"activation", "Softsign()", "softsign(input)", ""},
    {"activation", "Tanhshrink()", "tanhshrink(input)", ""},
    {"activation", "Hardshrink(float lambd=0.5)", "hardshrink(input; lambd=)", "lambd"},
    {"activation", "Softshrink(float lambd=0.5)", "softshrink(input; lambd=)", "lambd"},
    // ---- along a dimension
    {"activation", "Softmax(int? dim=None)", "softmax(input; dim)", "dim="},
    {"activation", "LogSoftmax(int? dim=None)", "log_softmax(input; dim)", "dim="},
    {"activation", "Softmin(int? dim=None)", "softmin(input; dim=)", "dim="},
    {"activation", "GLU(int dim=-1)", "glu(input; dim=)", "dim="},
    {"distance", "CosineSimilarity(int dim=1, float eps=1e-8)", "cosine_similarity(x1, x2; dim, eps)", ""},
    {"flatten", "Flatten(int start_dim=1, int end_dim=-1)", "flatten(input; start_dim, end_dim)",
     "start_dim= end_dim="},
    // ---- losses
    {"loss", "L1Loss(str reduction='mean')", "l1_loss(input, target; reduction=)", ""},
    {"loss", "MSELoss(str reduction='mean')", "mse_loss(input, target; reduction=)", ""},
    {"loss", "SmoothL1Loss(*, str reduction='mean', float beta=1.0)",
     "smooth_l1_loss(input, target; reduction=, beta=)", ""},
    {"loss", "HuberLoss(str reduction='mean', float delta=1.0)",
     "huber_loss(input, target; reduction=, delta=)", ""},
    {"loss", "KLDivLoss(*, str reduction='mean', bool log_target=False)",
     "kl_div(input, target; reduction=, log_target=)", ""},
    {"loss", "NLLLoss(Tensor? weight=None, *, int ignore_index=-100, str reduction='mean')",
     "nll_loss(input, target; weight=, ignore_index=, reduction=)", ""},
    {"loss",
     "CrossEntropyLoss(Tensor? weight=None, *, int ignore_index=-100, str reduction='mean', float label_smoothing=0.0)",
     "cross_entropy(input, target; weight=, ignore_index=, reduction=, label_smoothing=)", ""},
    {"loss", "BCELoss(Tensor? weight=None, *, str reduction='mean')",
     "binary_cross_entropy(input, target; weight=, reduction=)", ""},
    {"loss", "BCEWithLogitsLoss(Tensor? weight=None, *, str reduction='mean', Tensor? pos_weight=None)",
     "binary_cross_entropy_with_logits(input, target; weight, pos_weight=, reduction=)", ""},
    {"loss", "MarginRankingLoss(float margin=0.0, str reduction='mean')",
     "margin_ranking_loss(input1, input2, target; margin=, reduction=)", ""},
    {"loss", "CosineEmbeddingLoss(float margin=0.0, str reduction='mean')",
     "cosine_embedding_loss(input1, input2, target; margin=, reduction=)", ""},
    {"loss", "HingeEmbeddingLoss(float margin=1.0, str reduction='mean')",
     "hinge_embedding_loss(input, target; margin=, reduction=)", ""},
    {"loss", "SoftMarginLoss(str reduction='mean')", "soft_margin_loss(input, target; reduction=)", ""},
    {"loss",
     "TripletMarginLoss(float margin=1.0, float p=2.0, float eps=1e-6, bool swap=False, object size_average=None, object reduce=None, str reduction='mean')",
     "triplet_margin_loss(anchor, positive, negative; margin, p, eps, swap, reduction=)", ""},
    {"loss", "GaussianNLLLoss(*, bool full=False, float eps=1e-6, str reduction='mean')",
     "gaussian_nll_loss(input, target, var; full, eps, reduction)", ""},
};

// Splits a list at blanks, or at commas and blanks.
std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> all;
  while (!text.empty()) {
    all.emplace_back(text.substr(0, text.find_first_of(", ")));
    text.remove_prefix(std::min(text.find_first_not_of(", ", all.back().size()), text.size()));
  }
  return all;
}

}  // namespace

Layer::Layer(const LayerRow& row) : constructor(row.constructor), home(row.home), shown(words(row.shown)) {
  const size_t open = row.computes.find('('), close = row.computes.size() - 1;
  const size_t rest = std::min(row.computes.find("; "), close);
  function = row.computes.substr(0, open);
  inputs = words(row.computes.substr(open + 1, rest - open - 1));
  if (rest < close) settings = words(row.computes.substr(rest + 2, close - rest - 2));
}

const std::vector<Layer>& layers() {
  static const auto& all = *new std::vector<Layer>(std::begin(kLayers), std::end(kLayers));
  return all;
}

}  // namespace glassgrad::GG_HOST

// Sections 1 and 2: the task, words as rows of numbers, and the table of relations between them.
#include <numeric>
#include <set>

#include "apps/lesson/phrases.h"
#include "apps/lessons/climb/climb.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::learn::climb_parts {
namespace {

constexpr const char* kTask = "1.1";
constexpr const char* kEmbeddings = "1.2";
constexpr const char* kExamples = "2.1";
constexpr const char* kRelations = "2.2";
constexpr const char* kMask = "2.3";

using Names = std::vector<std::string>;

// The chunk, and the word that follows it: a vocabulary sorted by name.
struct Vocabulary {
  Names words;   // tokens of the chunk, then the next one
  Tensor ids;    // of words, (T + 1,)
  Tensor table;  // (T + 1, width): the rows of x in the order of the ids
};

std::string next_word(const Settings& s) {
  const auto names = climb.tokens;
  const size_t tokens = s.tokens.size();
  const bool named_by_the_lesson =
      tokens < names.size() && std::equal(s.tokens.begin(), s.tokens.end(), names.begin());
  return named_by_the_lesson ? names[tokens] : fmt::format("x{}", tokens + 1);
}

Vocabulary vocabulary(const Settings& s) {
  Vocabulary v;
  v.words = s.tokens;
  v.words.push_back(next_word(s));
  std::vector<int64_t> by_name(v.words.size());  // equal names keep a row each: x has one for every place
  std::iota(by_name.begin(), by_name.end(), 0);
  std::stable_sort(by_name.begin(), by_name.end(),
                   [&](int64_t a, int64_t b) { return v.words[size_t(a)] < v.words[size_t(b)]; });
  std::vector<int64_t> ids(by_name.size());
  for (size_t id = 0; id < by_name.size(); ++id) ids[size_t(by_name[id])] = int64_t(id);
  v.ids = from_values(ids, {std::ssize(ids)});
  Generator g(1);
  const Tensor rows = cat({s.inputs[0], randn({1, s.inputs.size(2)}, float32, g)}, 0);
  v.table = embedding(rows, from_values(by_name, {std::ssize(by_name)}));
  return v;
}

std::string list_of(const Names& words, size_t count, size_t from = 0) {
  const auto first = words.begin() + std::ptrdiff_t(from);
  return fmt::format("[{}]", joined(Names(first, first + std::ptrdiff_t(count)), ", ", 6));
}

std::string list_of(const Tensor& ids) {
  Names words;
  for (const int64_t id : ids.to_vector<int64_t>()) words.push_back(std::to_string(id));
  return list_of(words, words.size());
}

void chunk_and_target(Narrator& l, const Settings& s, const Vocabulary& v) {
  const int64_t tokens = s.inputs.size(1);
  l.step("chunk-and-target", kTask, "The task: guess the next word");
  l.code("chunk, target = ids[:-1], ids[1:]");
  l.show("ids", v.ids);
  const Tensor chunk = l.show("chunk", v.ids.slice(0, 0, tokens));
  const Tensor target = l.show("target", v.ids.slice(0, 1, {}));
  l.say(
      "GPT is the decoder half of a transformer. It reads a chunk of tokens, guesses the next one, puts it at "
      "the end and goes on from there.");
  l.say("For training the text holds its own answers: the chunk is {}, the target the same moved by one, {}.",
        list_of(v.words, size_t(tokens)), list_of(v.words, size_t(tokens), 1));
  l.say("Tokens are integers: sorted by name these words get the ids {}, so chunk {} and target {}.",
        list_of(v.ids), list_of(chunk), list_of(target));
}

void one_word_two_tokens(Narrator& l, const Settings& s) {
  const Names vocabulary = {"cat", "cats", "climb", "climbs", "during", "storms", "trees"};
  const auto ids_of = [&](const Names& words) {
    std::vector<int64_t> ids;
    for (const std::string& word : words)
      ids.push_back(std::find(vocabulary.begin(), vocabulary.end(), word) - vocabulary.begin());
    return from_values(ids, {std::ssize(ids)});
  };
  Generator g(2);
  const Tensor table = randn({std::ssize(vocabulary), s.inputs.size(2)}, float32, g);
  l.step("one-word-two-tokens", kTask, "climb or climbs?");
  l.code("torch.cosine_similarity(climb, climbs, dim=0)");
  const Tensor first = l.show("first_chunk", ids_of({"cats", "climbs", "trees", "during"}));
  const Tensor second = l.show("second_chunk", ids_of({"cats", "climb", "trees", "during"}));
  const Tensor climb = l.show("climb", table[second[1].item<int64_t>()]);
  const Tensor climbs = l.show("climbs", table[first[1].item<int64_t>()]);
  const Tensor product = dot(climb, climbs), length = norm(climb), other_length = norm(climbs);
  const Tensor cosine = l.show("cosine", product / (length * other_length));
  l.say(
      "The page writes its chunk once with \"climbs\" and once with \"climb\", and speaks of the embedding of "
      "\"cat\" where the chunk has \"cats\".");
  l.say(
      "A vocabulary of whole words knows spellings alone: it would need {} ids where 5 words are meant, and the "
      "two chunks would be {} and {}.",
      vocabulary.size(), list_of(first), list_of(second));
  l.say(
      "Nothing ties the two spellings together: their rows are drawn one by one, and the cosine between these "
      "two is {}. Only training can bring them together.",
      digits(cosine));
}

Tensor inputs(Narrator& l, const Settings& s) {
  const int64_t batch = s.inputs.size(0), tokens = s.inputs.size(1), width = s.inputs.size(2);
  l.step("inputs", kEmbeddings, "Tokens as rows of numbers");
  l.code(set_seed(s, "--seed"));
  l.code(s.own_inputs ? "x = torch.tensor([...])"
                      : fmt::format("x = torch.randn({}, {}, {})", batch, tokens, width));
  l.code("print(x)");
  manual_seed(s.seed("--seed"));
  const Tensor x = l.print("x", s.own_inputs ? s.inputs : randn(s.inputs.shape()));
  l.say("{} of {}, a row of {} for each: (batch_size, chunk_size, token_emb_dim).", counted(batch, "chunk"),
        counted(tokens, "token"), counted(width, "number"));
  l.say("The rows of entry 0 stand for {} from here on{}.", joined(s.tokens, ", "),
        s.own_inputs ? "" : "; they are random, for nothing has been trained yet");
  if (!all_finite(matmul(x[0], x[0].T())))
    l.say(
        "Some of these numbers are not finite, or too large to be multiplied in float32: nan and inf will "
        "spread, and where they do, weights do not add to 1.");
  return x;
}

void embedding_lookup(Narrator& l, const Settings& s, const Vocabulary& v) {
  const int64_t tokens = s.inputs.size(1), size = v.table.size(0);
  const Tensor ids = v.ids.slice(0, 0, tokens);
  l.step("embedding-lookup", kEmbeddings, "From word to number to row");
  l.formula("x_w = E[id(w)]", R"(x_w = E_{\mathrm{id}(w)})");
  l.code("embedded = F.embedding(ids, table)");
  l.show("table", v.table);
  l.show("ids", ids);
  const Tensor embedded = l.show("embedded", embedding(v.table, ids));
  l.say(
      "An embedding table has one row for each of the {} words of the vocabulary, in the order of the ids; "
      "training adjusts it like any weight.",
      size);
  l.say("{} has id {}, so it gets row {}. The rows picked are those of x[0]: the largest difference is {}.",
        in_quotes(s.tokens.back()), ids[tokens - 1].item<int64_t>(), ids[tokens - 1].item<int64_t>(),
        largest_difference(embedded, s.inputs[0]));
  l.say("The row of {}, which x does not hold, is made up.", in_quotes(v.words.back()));
  if (std::set<std::string>(s.tokens.begin(), s.tokens.end()).size() < s.tokens.size())
    l.say("Equal words would share an id; here each keeps its own, as x has a row for every place.");

  l.step("one-hot", kEmbeddings, "The same lookup as a product");
  l.formula("X = H E,  H_iw = 1 where w = id_i, else 0",
            R"(X = H E, \qquad H_{iw} = \begin{cases} 1 & w = \mathrm{id}_i \\ 0 & \text{else} \end{cases})");
  l.code(fmt::format("one_hot = torch.eye({})[ids]\nproduct = one_hot @ table", size));
  const Tensor one_hot = l.show("one_hot", embedding(eye(size), ids));
  const Tensor product = l.show("product", matmul(one_hot, v.table));
  l.say("A row with a single 1, times the table, is the row of the table at that place.");
  if (all_finite(v.table))
    l.say("Both ways differ by {}; the product takes {} multiplications for it, the lookup none.",
          largest_difference(product, embedded), tokens * size * s.inputs.size(2));
  else
    l.say("But 0 times inf or nan is nan: with this table only the lookup gives the right rows.");
}

void next_token_pairs(Narrator& l, const Settings& s, const Vocabulary& v) {
  constexpr size_t kListed = 4;
  const size_t tokens = size_t(s.inputs.size(1));
  const std::vector<int64_t> ids = v.ids.to_vector<int64_t>();
  std::vector<int64_t> contexts(tokens * tokens, -1);
  for (size_t i = 0; i < tokens; ++i)
    for (size_t j = 0; j <= i; ++j) contexts[i * tokens + j] = ids[j];
  l.step("next-token-pairs", kExamples, "One chunk, many exercises");
  l.code("for i in range(chunk_size):\n    context, target = ids[: i + 1], ids[i + 1]");
  l.show("contexts", from_values(contexts, {int64_t(tokens), int64_t(tokens)}));
  l.show("targets", v.ids.slice(0, 1, {}));
  l.say("The chunk holds {}, context and target each:", counted(int64_t(tokens), "exercise"));
  for (size_t i = 0; i < std::min(tokens, kListed); ++i)
    l.say("{} -> {}{}", list_of(v.words, i + 1), v.words[i + 1],
          i + 1 < std::min(tokens, kListed) ? ";"
          : tokens > kListed                ? "; and so on."
                                            : ".");
  l.say("Row i is context i as ids; -1 stands where the context has not got that far.");
  l.say("All are answered in one pass, if row i of the result has seen nothing but the first i tokens.");
}

Tensor relation_matrix(Narrator& l, const Settings& s) {
  const int64_t tokens = s.inputs.size(1), i = asker(s);
  l.step("relation-matrix", kRelations, "Relations between tokens as a matrix");
  l.formula("y_i = w_i1 x_1 + w_i2 x_2 + ... + w_iT x_T", R"(y_i = \sum_j w_{ij} x_j)");
  l.formula(
      "Y = W X",
      R"(\begin{bmatrix} y_1 \\ \vdots \\ y_T \end{bmatrix} = \begin{bmatrix} w_{11} & \cdots & w_{1T} \\ \vdots & \ddots & \vdots \\ w_{T1} & \cdots & w_{TT} \end{bmatrix} \begin{bmatrix} x_1 \\ \vdots \\ x_T \end{bmatrix})");
  l.code(fmt::format("relation = torch.rand({0}, {0})\ny = relation @ x[0]", tokens));
  Generator g(3);
  const Tensor relation = l.show("relation", rand({tokens, tokens}, float32, g));
  const Tensor y = l.show("y", matmul(relation, s.inputs[0]));
  l.say(
      "Tokens must talk to each other. Say how much token i takes from token j by a number w_ij: all of them "
      "make the attention weights matrix, whose picture the page has lost.");
  Names terms;
  for (int64_t j = 0; j < std::min<int64_t>(tokens, 4); ++j)
    terms.push_back(fmt::format("{} * {}", digits(relation[i][j]), digits(s.inputs[0][j][0])));
  l.say("One product mixes all rows. For {} the first number is {}{} = {}.", in_quotes(s.tokens[size_t(i)]),
        joined(terms, " + "), tokens > 4 ? " + ..." : "", digits(y[i][0]));
  l.say("These weights are made up. Where good ones come from is what the rest of the lesson is about.");
  return relation;
}

void causal_mask(Narrator& l, const Settings& s, const Tensor& relation) {
  const int64_t tokens = s.inputs.size(1);
  const size_t reader = size_t(std::min<int64_t>(2, tokens - 1));
  l.step("causal-mask", kMask, "No token looks ahead");
  l.formula("y_i = w_i1 x_1 + ... + w_ii x_i",
            R"(y_i = \sum_{j \le i} w_{ij} x_j, \qquad w_{ij} = 0 \text{ for } j > i)");
  l.code("causal_mask = torch.tril(torch.ones(chunk_size, chunk_size))\nmasked = relation * causal_mask");
  const Tensor mask = l.show("causal_mask", tril(ones({tokens, tokens})));
  const Tensor masked = l.show("masked", relation * mask);
  const Tensor row_sums = l.show("row_sums", sum(masked, {-1}));
  l.say("Whoever guesses the next word must not see it: above the diagonal, where j > i, the weights are 0.");
  Names before;
  for (size_t j = 0; j < reader; ++j) before.push_back(in_quotes(s.tokens[j]));
  if (reader > 0)
    l.say(
        "The text lets a token gather from those before it, {} from {}. tril leaves its row {} weights, one "
        "more: a token takes from itself too.",
        in_quotes(s.tokens[reader]), joined(before, " and "), sum(mask[int64_t(reader)]).item<int64_t>());
  l.say("The rows now add to {}: shares that can be compared should add to 1.",
        joined_digits(row_sums, ", ", 4));
}

}  // namespace

Tensor words(Narrator& l, const Settings& s) {
  const Vocabulary v = vocabulary(s);
  chunk_and_target(l, s, v);
  one_word_two_tokens(l, s);
  const Tensor x = inputs(l, s);
  embedding_lookup(l, s, v);
  next_token_pairs(l, s, v);
  return x;
}

void relations(Narrator& l, const Settings& s) { causal_mask(l, s, relation_matrix(l, s)); }

}  // namespace glassgrad::learn::climb_parts

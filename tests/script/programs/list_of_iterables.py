print(list(), list("abc"), list((1, 2)), list({1: 2}), list(range(3)), list(zip([1], [2])), list(map(str, [1, 2])), list(filter(None, [0, 1, "", "a"])))
print(list({"k": 1}.items()), list(reversed([1, 2, 3])), list(enumerate("ab", 1)), [*range(2), *"ab", *[]], (*[1], 2), {*[1, 1]}, {**{"a": 1}, "b": 2})

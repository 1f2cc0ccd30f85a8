import json

data = {"name": "GPT", "layers": [1, 2.5, True, None], "nested": {"a": {}, "b": []}, "text": "é\n\"quoted\" \\ \t\x01 😀", 3: 1e20, "inf": float("inf")}
print(json.dumps(data))
print(json.dumps(data, indent=2, sort_keys=False, ensure_ascii=False))
print(json.dumps({"b": 1, "a": [1, {"c": 2}]}, sort_keys=True, separators=(",", ":")), json.dumps([1, 2], indent=0), json.dumps((1, "x")), json.dumps("a"))
print(json.dumps([]), json.dumps({}, indent=4), json.dumps(0.1 + 0.2), json.dumps(-0.0), json.dumps(float("nan")), json.dumps([True, False, None]))
back = json.loads(json.dumps(data))
print(back == {**{k: v for k, v in data.items() if k != 3}, "3": 1e20}, back["text"] == data["text"])
print(json.loads(' { "a" : [ 1 , -2.5e3 , 1E2, "\\u00e9\\ud83d\\ude00\\/" , true , null ] , "b" : { } } '), json.loads("-0"), json.loads("12"), json.loads("[NaN, -Infinity]"))
for text in ("", "[1, 2", '{"a" 1}', "{a: 1}", '"open', "nul", "1 2", '"\\x"', '{"a": 1,\n "b": }', "[1 2]", '"\\u12"', "01", "-"):
    try:
        print(json.loads(text))
    except json.JSONDecodeError as e:
        print(type(e).__name__, e.lineno, e.colno, e.pos)
for wrong in (lambda: json.dumps({1, 2}), lambda: json.dumps({(1, 2): 3}), lambda: json.loads(3)):
    try:
        wrong()
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)

data = {"users": [{"name": "ann", "tags": ("x", "y")}, {"name": "bob", "tags": ()}], "n": 2}
print(data["users"][0]["tags"][1], [u["name"] for u in data["users"] if u["tags"]])
data["users"][1]["age"] = 5
data["users"].append({})
print(data)
import math
print([[math.floor(x / 2)] * 2 for x in (1, 5)])

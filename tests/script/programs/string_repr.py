for s in ("a", "it's", 'say "hi"', "both ' and \"", "tab\t", "nl\n", "\\", "\x00\x1f\x7f", "é", "\u200b", "日本", "\U0001F600", "", "\r", "\xa0"):
    print(repr(s), len(s))

print('a', "b", '''c
d''', """e"f""", 'it''s', "a" 'b' "c", r"\n", 'tab\there', "\x41\u00e9\U0001F600", "\101\0end" == "A\x00end")
print("line \
goes on", len("""
"""), "\\", '\'', "\"", R"\d+\.", u"u", "\q")

# unsupported 2:5: SyntaxError: names of characters (\N{...}) are not supported; write the character itself, or its number as \u03b1
x = "\N{GREEK SMALL LETTER ALPHA}"

# unsupported 2:6: SyntaxError: relative imports are not supported; put everything into one program
from . import model

# unsupported 2:7: SyntaxError: assignment inside an expression (:=) is not supported; assign on a line of its own
if (n := 3) > 2: pass

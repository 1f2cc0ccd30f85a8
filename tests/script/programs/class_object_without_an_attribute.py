class Head: pass
Head.size

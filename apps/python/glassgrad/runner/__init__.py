"""What `python3 -m glassgrad FILE` does: scripts and notebooks written for PyTorch, run on glassgrad."""

"""What other harnesses need to run a snapshot: rendered prompts, task files, and rules that score without a judge."""

"""Training that resumes exactly: checkpoints, model folders, threads."""

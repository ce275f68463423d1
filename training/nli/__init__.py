"""The embedded NLI cross-encoder: data, training, export, evaluation and model card."""

"""The catalogue: perturbation classes, levers, the features of base instances and the prompts."""

"""The functions and classes behind `import perturb`."""

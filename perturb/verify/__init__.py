"""Decides which candidates are kept: machine checks first, then the panel's votes."""

"""Texts: how they are compared, cut into passages, marked where they changed, and worded for people."""

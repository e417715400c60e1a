"""Stands for rknn-toolkit-lite2 in the tests."""
__version__ = "2.3.2+stand-in"

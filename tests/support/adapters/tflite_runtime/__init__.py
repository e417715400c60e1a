"""Stands for tflite_runtime in the tests."""
__version__ = "2.14.0+stand-in"

"""Stands for packages of cuda-python in the tests."""

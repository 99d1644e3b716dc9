"""Askance's two services in containers: laid out, started, looked at and stopped.

`services.LocalServices` is what front ends use; the other modules are its parts.
"""

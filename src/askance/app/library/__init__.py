"""The library as front ends use it: look up, fill, see what it holds, take out, embed, watch, move.

Each use case takes the open `Container` and tells how far it is; front ends only choose and show.
"""

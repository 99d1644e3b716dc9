"""The part of CSS that decides whether a person sees an element."""

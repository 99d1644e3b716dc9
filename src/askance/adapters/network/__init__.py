"""HTTP with distrust: what every client of ours is built on."""

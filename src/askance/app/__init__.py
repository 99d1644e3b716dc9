"""What the front ends do: questions and conversations, the library, checks, evaluation, and the
objects that they are built of. Front ends enter here."""

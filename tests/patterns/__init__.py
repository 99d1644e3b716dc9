"""Regular expressions, judged by the steps that they take on the worst text that they allow."""

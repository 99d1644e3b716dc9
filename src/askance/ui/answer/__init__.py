"""What is shown of a question: its run, the answer as it streams, sources and trace.

Enter at `conversation_view`, or at `exchange_view` for one question.
"""

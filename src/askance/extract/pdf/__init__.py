"""PDF files, through PDFium."""

"""Documents, workbooks and presentations of word processors and office programs."""

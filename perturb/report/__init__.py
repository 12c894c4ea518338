"""Pages that people read: figures, tables and one self-contained HTML file."""

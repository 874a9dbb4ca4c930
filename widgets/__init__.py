"""The widgets, each one Python class and one ES module, and how they come into the book's pages."""

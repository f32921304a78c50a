"""The page's sections: each a function from contents to a section, or None where there is nothing to show."""

"""Plans and diagnostics as people read them."""

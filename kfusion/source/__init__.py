"""Text, positions and diagnostics: what every other room stands on."""

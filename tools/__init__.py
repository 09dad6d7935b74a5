"""What maintainers run to regenerate files of the repository; not part of the package."""

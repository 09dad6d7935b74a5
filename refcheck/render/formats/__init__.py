"""Report formats: one module each, with one constant `FORMAT` (a `refcheck.render.options.ReportFormat`)."""

"""Every report format, made from one `refcheck.model.report.Report`.

`render.render` is the entry; `formats/` holds one plug-in per format; `untrusted` makes foreign text harmless.
"""

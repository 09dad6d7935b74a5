"""An edition's anchors and claims over many revisions of an engine, and documents over two of them."""

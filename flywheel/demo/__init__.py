"""The demo: the loop's stages one after the other, on the bundled sample or on a folder of exports."""

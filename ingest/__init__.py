"""The log and its edges: how events get in, where they are kept, who reads them. Not what is made of them."""

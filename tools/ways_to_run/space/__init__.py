"""What is searched over: the machine, the load, formats, engines and layouts."""

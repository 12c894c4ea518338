"""Human validation: draw a sample, have people judge it, compare them with each other and with the panel."""

"""Prime implicants and implicates: read off the circuit (``direct``), or found by SAT (``by_sat``)."""

"""Optional charges of a rental: its meter, from the cap to the last payment."""

"""From numbers to decisions: compare, gate, plan, calibrate."""

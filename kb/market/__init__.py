"""What is for sale and for rent, and what money, power and rules cost."""

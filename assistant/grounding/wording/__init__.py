"""How an answer is read: its statements, the figures and products they tell, and what each figure is said of."""

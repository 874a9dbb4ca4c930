"""What is owed: money, plans, tax, coupons, invoices and renewals."""

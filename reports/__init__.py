"""What people look at: the portfolio report and the dashboard."""

"""The pages of the dashboard: Streamlit over the published copy, started by `innspect dashboard`."""

"""The Prefect flows. The only place that imports prefect."""

"""The dossier: one document about one INN, as HTML, PDF, XLSX or JSON."""

"""E-mail, and what travels with it: calendars and contacts."""

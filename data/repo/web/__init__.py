"""The HTTP side: requests, responses, routes and handlers."""

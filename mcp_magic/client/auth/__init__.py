"""Signing in: tokens are kept, sent and renewed; a person is asked only by a job."""

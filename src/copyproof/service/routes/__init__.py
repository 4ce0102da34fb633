"""What can be asked of the service, one router for each thing it is about."""

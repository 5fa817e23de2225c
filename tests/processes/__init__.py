"""What tests that start processes share: ports, certificates, and Agave's validator."""

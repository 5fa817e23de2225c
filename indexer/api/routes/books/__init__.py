"""What has been paid, burned and posted."""

"""Records of payments, burns and posted prices."""

"""The model gateway: an agent in a closed sandbox calls models through the host, which keeps the key and the count."""

"""Host's end of the socket: listens, lets clients in, queues their calls and sends events."""

"""Operations on conversations: messages, summaries, scratchpads and what is taken from them."""

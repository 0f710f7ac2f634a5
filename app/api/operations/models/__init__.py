"""Operations on embedding models and the language model."""

"""Operations by subject; importing a module declares what it holds."""

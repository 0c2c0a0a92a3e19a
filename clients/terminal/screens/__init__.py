"""The screens of the terminal: the lobby, a table, a replay, and the dialogs over them."""

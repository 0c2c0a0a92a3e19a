"""The rules of Burano, a file for each subsystem in the words of the rulebook.

In every file: what can be done (a list, in the order of the rules), what is done (a function on a `Play`, which
checks by itself), and the questions others ask. Legal lists and checks ask the same questions, so they agree.
"""

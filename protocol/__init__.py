"""The contract with every client: messages, codecs, patches. Imports nothing of ours; no I/O."""

"""Replies to answers: what several papers need to read a reply."""

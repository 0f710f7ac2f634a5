"""Attachments: pictures and other files that notes show or lead to."""

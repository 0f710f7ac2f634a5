"""Settings of encryption."""

from app.config.setting import Setting

ENCRYPTION = (
    Setting(
        "encryption.auto_lock_minutes",
        "int",
        15,
        "Minutes without use after which the window locks an encrypted vault; 0 for never.",
        minimum=0,
        maximum=1_440,
    ),
)

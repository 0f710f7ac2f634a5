"""Settings of the window."""

from app.config.setting import Setting

WINDOW = (
    Setting("window.theme", "choice", "system", "Colours of the window.", choices=("system", "light", "dark")),
    Setting("window.scale", "int", 100, "Size of text and controls, in percent.", minimum=75, maximum=200),
    Setting(
        "window.close_to_tray",
        "bool",
        True,
        "Closing the window keeps Keepsake running: in the tray, or hidden where there is none.",
    ),
)

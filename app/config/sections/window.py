"""Settings of the window."""

from app.config.setting import Setting

WINDOW = (
    Setting("window.theme", "choice", "system", "Colours of the window.", choices=("system", "light", "dark")),
    Setting("window.scale", "int", 100, "Size of text and controls, in percent.", minimum=75, maximum=200),
    Setting(
        "window.language",
        "choice",
        "system",
        "Language of the window; 'system' is that of the computer, where Keepsake speaks it, else English.",
        choices=("system", "en", "de", "es", "zh_CN"),
        restart=True,
    ),
    Setting(
        "window.contrast",
        "choice",
        "system",
        "Contrast of the colours: as the system asks for, or always high.",
        choices=("system", "high"),
    ),
    Setting("window.reduced_motion", "bool", False, "Show changes at once, without movement or flashes."),
    Setting(
        "window.hints",
        "bool",
        True,
        "While you write, show quietly what you already know about it, and what a new text may contradict.",
    ),
    Setting(
        "window.shortcuts",
        "str",
        "",
        "Keys that differ from the usual ones, as a JSON object of actions and keys.",
    ),
    Setting(
        "window.global_shortcut",
        "bool",
        False,
        "Open quick capture from anywhere, with a shortcut that the desktop grants.",
    ),
    Setting(
        "window.close_to_tray",
        "bool",
        True,
        "Closing the window keeps Keepsake running: in the tray, or hidden where there is none.",
    ),
)

"""Why no hotkey is heard, and what mends that."""

from __future__ import annotations

from askance.telling.words import term

SAYINGS = (
    term("The hotkey {problem}."),
    term("Choose another combination in the settings."),
    term("there is no key named {name}"),
    term("needs Ctrl, Alt or Super, or one of the keys F1 to F24"),
    term("is too long for a combination of keys"),
    term("must end with a key, such as Ctrl+Space"),
    term("must begin with Ctrl, Alt, Shift or Super, not {name}"),
    term("must end with a key that is no modifier, such as Ctrl+Space"),
    term("names no key that can be used: {name}"),
    term("nothing"),
    term("There is no desktop here that could hear a hotkey."),
    term("`askance toggle` shows or hides the window."),
    term(
        "Choose another combination in the settings. A shortcut of the Shortcuts app "
        "that runs `askance toggle` works in any case."
    ),
    term(
        "Choose another combination in the settings. A Windows shortcut with the "
        "command `askance toggle` works in any case."
    ),
    term("A Mac has no key {name}."),
    term("Another program has taken {keys}."),
    term("macOS does not give {keys} to programs (error {status})."),
    term("Windows does not give {keys} to programs (error {status})."),
    term("This keyboard has no key {name}."),
    term("The X display cannot be reached."),
    term("The X display is gone, and the hotkey with it."),
    term("The desktop portal does not answer."),
    term(
        "The session's message bus cannot be reached, so the desktop cannot be asked for a hotkey."
    ),
    term("This desktop has no portal, which alone can give a program a hotkey."),
    term("This desktop gives programs no hotkeys."),
    term("Run `askance menu`: the portal knows Askance by its entry in the menu."),
    term("The desktop portal refused a hotkey: {problem}."),
    term("The desktop asked whether Askance may have a hotkey, and the answer was no."),
    term("Turn the hotkey on again in the settings to be asked anew."),
    term("The desktop did not give {keys} to Askance."),
    term(
        "Choose keys for Askance in the desktop's settings for shortcuts, or another "
        "combination here."
    ),
    term("The desktop has taken the hotkey back."),
    term("Add this line to hyprland.conf: {line}"),
    term("Add this line to the configuration of {name}: {line}"),
    term("In Settings, Keyboard, Custom Shortcuts, add {keys} with the command `askance toggle`."),
    term("In System Settings, Shortcuts, add the command `askance toggle` with {keys}."),
    term("In the shortcuts of your desktop, bind {keys} to the command `askance toggle`."),
)

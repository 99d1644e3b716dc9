"""The machine, its desktop and this program on them: hotkeys, entries, browser, Qt, D-Bus, IPC, memory, processes.

Front ends may use it directly; it knows the settings' folders and the domain, and no service.
"""

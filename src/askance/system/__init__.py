"""What the machine and its desktop offer: hotkeys, autostart, browser, screens, IPC, memory, processes.

Front ends may use it directly; it knows the settings' folders and the domain, and no service.
"""

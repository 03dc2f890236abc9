"""Lets the real code of a running service fail, with the JDK's debugger."""

import os
import subprocess

from pool import await_true, jdk_tool

LIMIT = 30


def fail_once(port, folder, method, local):
    """The next call of a method finds that one of its arguments or variables is null."""
    path = os.path.join(folder, "jdb.log")
    with open(path, "w", encoding="utf-8") as log:
        jdb = subprocess.Popen(
            [jdk_tool("jdb"), "-connect", f"com.sun.jdi.SocketAttach:hostname=127.0.0.1,port={port}"],
            stdin=subprocess.PIPE, stdout=log, stderr=log, text=True)

    def says(text):
        with open(path, encoding="utf-8") as file:
            return text in file.read()

    try:
        _tell(jdb, f"stop in {method}")
        await_true("the method is called", lambda: says("Breakpoint hit"), LIMIT)
        # The service stands still until "cont". jdb evaluates beside reading its commands.
        _tell(jdb, f"set {local} = null")
        await_true("the variable is null", lambda: says(f"{local} = null = null"), LIMIT)
        _tell(jdb, f"clear {method}", "cont", "quit")
        jdb.wait(LIMIT)
    finally:
        jdb.kill()
        jdb.wait()


def _tell(jdb, *commands):
    jdb.stdin.write("\n".join(commands) + "\n")
    jdb.stdin.flush()

#!/usr/bin/env python3
"""A unit that computes nothing: it speaks the protocol of docs/command_protocol.md, or breaks it as told.

usage: echo_adapter.py [--at REQUEST --do DEED [--after N]] [--log FILE] [--pid FILE]
REQUEST: greeting, load, run, unload, quit; N of these go well before.
"""
import argparse
import hashlib
import os
import signal
import subprocess
import sys
import time


def say(text):
    print(text, flush=True)


def misbehave(deed, pid_file):
    if deed == "silence":
        time.sleep(3600)
    elif deed == "exit":
        sys.exit(7)
    elif deed == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    elif deed == "close":
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        os.dup2(1, 0)
        time.sleep(3600)
    elif deed == "flood":
        while True:
            sys.stdout.write("x" * 65536)
    elif deed == "complain":
        print("something is odd", file=sys.stderr, flush=True)
        return False
    elif deed == "late":
        time.sleep(0.02)
        return False
    elif deed == "child":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
        with open(pid_file, "w", encoding="ascii") as file:
            file.write(str(child.pid))
        return False
    else:  # what it is to say instead
        say(deed)
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--at", default="")
    parser.add_argument("--do", default="")
    parser.add_argument("--after", type=int, default=0)
    parser.add_argument("--log")
    parser.add_argument("--pid")
    arguments = parser.parse_args()
    log = open(arguments.log, "a", encoding="utf-8") if arguments.log else None

    def done(request):
        if request != arguments.at:
            return False
        arguments.after -= 1
        return arguments.after < 0 and misbehave(arguments.do, arguments.pid)

    if not done("greeting"):
        say("tandem-unit/1 echo 1.0 python=" + sys.version.split()[0])
    models = {}
    for line in sys.stdin:
        line = line.rstrip("\n")
        if log:
            print(line, file=log, flush=True)
        request, *words = line.split(" ")
        if done(request):
            continue
        if request == "load":
            handle, batch, model = line.split(" ", 3)[1:]
            models[handle] = model + " " + batch
            say("ok 1000000")
        elif request == "run" and words[0] in models:
            digest = hashlib.sha256(models[words[0]].encode()).hexdigest()
            say(f"ok {2000000 * int(words[1])} {digest}")
        elif request == "unload" and models.pop(words[0], None):
            say("ok 500")
        elif request == "quit":
            return
        else:
            say("error cannot " + line)


main()

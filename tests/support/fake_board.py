#!/usr/bin/env python3
"""What reaches a board that is not there: it starts the board's program in another directory and environment, and fails
as connections and boards do. What it is asked stands in FOLDER/asked.txt, a line per profile.

usage: fake_board.py [--plays PLAY,...] [--meet FOLDER] FOLDER COMMAND...

PLAYs, one for each profile that it is asked for, then all is well:
  silent   the connection does not come about       cut      it is cut in the middle of the answer
  garbled  the answer is no JSON                    other    the answer is another board's
  hang     there is none (FOLDER/hangs is made)     well     all is well
  closes   as hang, with its output closed          talks    the same, and it says on standard error that it is there
Those three end by themselves after a minute and a half (FOLDER/stayed is made).
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

LOST = 255  # as ssh has it


def read_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plays", default="")
    parser.add_argument("--meet", type=pathlib.Path, help="answers when another board is asked, too")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser.parse_args()


def question(args):
    """What the board is asked, with its options: it stands behind those of the board."""
    words = args.command
    return words[max(i for i, word in enumerate(words) if word in ("info", "store", "profile")):]


def meet(args):
    (args.folder / "here").touch()
    for _ in range(1200):
        if (args.meet / "here").exists():
            return
        time.sleep(0.1)
    sys.exit("fake board: nobody came")


def next_play(args, order):
    asked = args.folder / "asked.txt"
    before = asked.read_text().count("\n") if asked.exists() else 0
    models = ",".join(wish["model"] for wish in json.loads(order)["models"])
    with asked.open("a") as file:
        file.write(" ".join(question(args)) + " " + models + "\n")
    plays = args.plays.split(",") if args.plays else []
    return plays[before] if before < len(plays) else "well"


def ask(args, order):
    elsewhere = args.folder / "elsewhere"
    elsewhere.mkdir(parents=True, exist_ok=True)
    return subprocess.run(args.command, input=order, cwd=elsewhere, stdout=subprocess.PIPE, check=False,
                          env={"PATH": os.environ["PATH"], "HOME": str(elsewhere)})


def stay(args, play):
    if play != "hang":
        os.close(sys.stdout.fileno())
    (args.folder / "hangs").touch()
    for _ in range(900):
        if play == "talks":
            print("still here", file=sys.stderr, flush=True)
        time.sleep(0.1)
    (args.folder / "stayed").touch()
    os._exit(LOST)


def main():
    args = read_arguments()
    args.folder.mkdir(parents=True, exist_ok=True)
    order = sys.stdin.buffer.read()
    profiles = question(args)[0] == "profile"
    play = next_play(args, order) if profiles else "well"
    if args.meet and profiles:
        meet(args)
    if play == "silent":
        print("ssh: connect to host port 22: No route to host", file=sys.stderr)
        return LOST
    if play in ("hang", "closes", "talks"):
        stay(args, play)
    answer = ask(args, order)
    output = answer.stdout
    if play == "cut":
        output = output[:len(output) // 2]
    if play == "garbled":
        output = b'{"tandem": \xff\n'
    if play == "other":
        output = json.dumps(dict(json.loads(output), platform="another")).encode()
    sys.stdout.buffer.write(output)
    sys.stdout.flush()
    return LOST if play == "cut" else answer.returncode


if __name__ == "__main__":
    sys.exit(main())

import glob, json, os, socket, subprocess, sys
listed = subprocess.run([sys.argv[1], "inbox", "--json"], capture_output=True, text=True).stdout
said = []
for card in map(json.loads, listed.splitlines()):
    answer = {"answer": {"by": "inbox", "response": {"approvalId": card["approvalId"], "digest": card["digest"],
        "response": {"outcome": {"outcome": "selected", "optionId": "allow_once"}}}}}
    for path in glob.glob(os.environ["XDG_DATA_HOME"] + "/mayi/owners/*.sock"):
        with socket.socket(socket.AF_UNIX) as asking:
            asking.connect(path)
            try:
                asking.sendall(json.dumps(answer).encode() + b"\n")
            except BrokenPipeError:
                pass
            said.append(asking.makefile().readline())
refused = said and all("an agent can't answer" in reply for reply in said)
print("an agent can't answer" if refused else ("taken", listed, said))

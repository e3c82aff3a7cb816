# Answers as the page does it: with its token, as a browser keeps it, and with a token of its own for a code that it has read; or over
# a connection that it made before, when there was nobody to be a part of.
import base64, json, os, socket, struct, sys, urllib.parse

at = urllib.parse.urlparse(open("url").read().strip())
page = json.load(open("page"))
own = f"http://{at.netloc}"


def send(*head, body=""):
    asking = socket.create_connection((at.hostname, at.port))
    head = [*head, f"host: {at.netloc}", f"origin: {own}"]
    asking.sendall("\r\n".join([*head, "", body]).encode())
    return asking, asking.makefile("rb")


def whole(told):
    head = list(iter(lambda: told.readline().decode().strip(), ""))
    sizes = [int(line.split(":")[1]) for line in head if line.lower().startswith("content-length:")]
    return head[0], told.read(sum(sizes)).decode()


def call(asking, told, method, params):
    # Long enough for its length to be written in just one way.
    text = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).ljust(126).encode()
    asking.sendall(struct.pack(">BBHI", 0x81, 0x80 | 126, len(text), 0) + text)
    while True:
        kind, size = told.read(2)
        longer = {126: (">H", 2), 127: (">Q", 8)}.get(size)
        size = struct.unpack(longer[0], told.read(longer[1]))[0] if longer else size
        said = told.read(size)
        # All else only asks whether it is still there.
        if kind == 0x81:
            return json.loads(said)


def connect(token):
    key = base64.b64encode(os.urandom(16)).decode()
    asking, told = send("GET / HTTP/1.1", "connection: upgrade", "upgrade: websocket", "sec-websocket-version: 13",
        f"sec-websocket-key: {key}", f"sec-websocket-protocol: mayi, mayi.token.{token}")
    first, text = whole(told)
    return (asking, told) if " 101 " in first else exit((first, text))


def answer(asking, told):
    card = call(asking, told, "approval/list", {"pending": True})["result"][0]["card"]
    return call(asking, told, "approval/respond", {"approvalId": card["approvalId"], "digest": card["digest"],
        "response": {"outcome": {"outcome": "selected", "optionId": "allow_once"}}})


def pair():
    code = json.dumps({"code": page["code"]})
    head = ["POST /ui/pair HTTP/1.1", "content-type: application/json", f"content-length: {len(code)}"]
    first, text = whole(send(*head, body=code)[1])
    return json.loads(text)["token"] if " 200 " in first else exit((first, text))


if sys.argv[1] == "before":
    held = connect(page["token"])
    open("there", "w").close()
    open("go").close()
    print(answer(*held))
else:
    for token in lambda: page["token"], pair:
        try:
            print(answer(*connect(token())))
        except SystemExit as refused:
            print(*refused.code)

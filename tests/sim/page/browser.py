"""Headless Chromium by its own protocol, over two pipes: no driver and no package beside the browser."""
import json
import os
import subprocess
import tempfile


class Browser:
    """One page in one browser: with Browser("chromium") as browser: browser.open(path)"""

    def __init__(self, program, width=1200, height=900, dark=False):
        to_browser, self.to = os.pipe()
        self.of, from_browser = os.pipe()
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run", "--disable-sync",
                     "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
                     f"--window-size={width},{height}", f"--user-data-dir={self.profile.name}"]
        # The browser reads its descriptor 3 and writes 4.
        command = 'exec "$0" "$@" 3<&%d 4>&%d' % (to_browser, from_browser)
        self.process = subprocess.Popen(["bash", "-c", command, program, *arguments], pass_fds=(to_browser, from_browser),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.last, self.errors, self.events = b"", 0, [], []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(domain + ".enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        if dark:
            self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.of)
        self.profile.cleanup()

    def receive(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.of, 1 << 16)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def note(self, message):
        method, says = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = says["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and says["entry"]["level"] == "error":
            self.errors.append(says["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and says["type"] in ("error", "warning", "assert"):
            self.errors.append(str(says["args"]))
        self.events.append(method)

    def ask(self, method, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if hasattr(self, "session"):
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.note(answer)

    def open(self, path):
        self.events.clear()
        self.ask("Page.navigate", url=path.resolve().as_uri())
        while "Page.loadEventFired" not in self.events:
            self.note(self.receive())
        self.frames(2)

    def run(self, script):
        """What a script comes to; a promise is waited for."""
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"].get("description", "an error"))
        return result["result"].get("value")

    def frames(self, count=1):
        self.run(f"new Promise(done => {{ let left = {count}; const next = () => left-- > 0 ? requestAnimationFrame(next) : done(); next(); }})")

    def key(self, key):
        text = {"text": key} if len(key) == 1 else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.frames()

    def picture(self, path, whole=True):
        """Of the whole page, or of what is on the screen."""
        import base64
        shot = self.ask("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

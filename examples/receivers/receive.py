"""Receives webhooks of Longshore and verifies them. It needs Python 3 and no packages. WEBHOOK_SECRET is the signingSecret."""
import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 300

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))

# An event is sent again when an answer is lost. Keep the ids in your database, so that they outlive this process.
seen = set()


def refusal(headers, body):
    """Returns why a request is refused; None: it comes from Longshore, and nobody has changed it."""
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return "the timestamp is too old or missing"
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    # After a rotation there are two signatures, of the new secret and of the old one.
    for signature in headers.get("webhook-signature", "").split():
        version, _, digest = signature.partition(",")
        if version == "v1" and hmac.compare_digest(digest.encode(), expected.encode()):
            return None
    return "the signature is wrong"


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        # The signature is over these bytes: do not parse and write them again before it is verified.
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        refused = refusal(self.headers, body)
        # Answer at once. Do your work afterwards.
        self.send_response(204 if refused is None else 401)
        self.send_header("content-length", "0")
        self.end_headers()
        if refused is not None:
            print(f"refused: {refused}", flush=True)
            return
        if self.headers["webhook-id"] in seen:
            return
        seen.add(self.headers["webhook-id"])
        event = json.loads(body)
        print(f"received: {event['event']} {json.dumps(event['payload'])}", flush=True)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4000"))), Receiver)
print(f"listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()

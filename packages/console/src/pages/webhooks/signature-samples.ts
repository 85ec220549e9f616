/** Programs that check a signature without any package. They are shown to be copied; a test runs them as they stand here. */

export const SAMPLES = [
  {
    id: 'node',
    title: 'Node',
    text: `import { createHmac, timingSafeEqual } from 'node:crypto';

/** @param body the bytes of the request, before anything has parsed them */
export function verify(secret, headers, body, now = Date.now() / 1000) {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': given } = headers;
  if (!id || !given || !(Math.abs(now - Number(time)) <= 300)) return false;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const right = createHmac('sha256', key).update(\`\${id}.\${time}.\`).update(body).digest();
  // Two signatures while a secret is replaced: one of them has to be right.
  return given.split(' ').some((one) => {
    const sent = Buffer.from(one.replace(/^v1,/, ''), 'base64');
    return one.startsWith('v1,') && sent.length === right.length && timingSafeEqual(sent, right);
  });
}
`,
  },
  {
    id: 'python',
    title: 'Python',
    text: `import base64, hashlib, hmac, time


def verify(secret, headers, body, now=None):
    """body: the bytes of the request, before anything has parsed them"""
    message_id = headers.get("webhook-id", "")
    sent_at = headers.get("webhook-timestamp", "")
    given = headers.get("webhook-signature", "")
    if not sent_at.isdigit() or abs((now or time.time()) - int(sent_at)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{sent_at}.".encode() + body
    right = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    # Two signatures while a secret is replaced: one of them has to be right.
    return any(hmac.compare_digest(right.encode(), one.encode()) for one in given.split(" "))
`,
  },
] as const;

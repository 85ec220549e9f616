/** Receives webhooks of Longshore and verifies them. It needs Node and no packages. WEBHOOK_SECRET is the signingSecret. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

const TOLERANCE_SECONDS = 300;

const key = Buffer.from((process.env.WEBHOOK_SECRET ?? '').replace(/^whsec_/, ''), 'base64');
if (key.length === 0) throw new Error('set WEBHOOK_SECRET to the signingSecret of the webhook');

/** An event is sent again when an answer is lost. Keep the ids in your database, so that they outlive this process. */
const seen = new Set<string>();

/** Returns why a request is refused; null: it comes from Longshore, and nobody has changed it. */
function refusal(headers: IncomingHttpHeaders, body: Buffer): string | null {
  const [id = '', timestamp = '', signatures = ''] = ['id', 'timestamp', 'signature'].map((name) =>
    String(headers[`webhook-${name}`] ?? ''),
  );
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS))
    return 'the timestamp is too old or missing';
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  // After a rotation there are two signatures, of the new secret and of the old one.
  const isValid = signatures.split(' ').some((signature) => {
    const [version, digest = ''] = signature.split(',');
    const given = Buffer.from(digest, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isValid ? null : 'the signature is wrong';
}

const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  // The signature is over these bytes: do not parse and write them again before it is verified.
  const body = Buffer.concat(parts);
  const refused = refusal(request.headers, body);
  if (refused !== null) {
    console.log(`refused: ${refused}`);
    response.writeHead(401).end(refused);
    return;
  }
  // Answer at once. Do your work afterwards.
  response.writeHead(204).end();
  const id = String(request.headers['webhook-id']);
  if (seen.has(id)) return;
  seen.add(id);
  const { event, payload } = JSON.parse(body.toString());
  console.log(`received: ${event} ${JSON.stringify(payload)}`);
});

server.listen(Number(process.env.PORT ?? 4000), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

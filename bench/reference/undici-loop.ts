/** The reference of `webhooks`: undici in a loop, each request signed. A process of its own; arguments: target, count, concurrency, body. */
import { createHmac, randomBytes } from 'node:crypto';
import { Agent, request } from 'undici';

const [target = '', count = '', concurrency = '', body = ''] = process.argv.slice(2);
const key = randomBytes(24);
const dispatcher = new Agent();
let left = Number(count);

async function lane(): Promise<void> {
  while (left-- > 0) {
    const id = `msg_${left}`;
    const timestamp = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${signature}`,
    };
    const answer = await request(target, { method: 'POST', headers, body, dispatcher });
    await answer.body.dump();
  }
}

const start = performance.now();
await Promise.all(Array.from({ length: Number(concurrency) }, lane));
process.send?.({ perSecond: Number(count) / ((performance.now() - start) / 1000) });
process.once('disconnect', () => process.exit());

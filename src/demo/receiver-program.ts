/**
 * A receiver of webhooks, as a shop could run it. It verifies signatures with the public package of Standard Webhooks,
 * and answers the first call of each path with 500, so that the call is repeated.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/** A message from the demo to this process: the secret that signs the calls of a path. */
export interface Trust {
  readonly path: string;
  readonly secret: string;
}

/** Messages from this process to the demo: its address, then each call. */
export type ReceiverMessage = { readonly listening: string } | { readonly call: ReceivedCall };

export interface ReceivedCall {
  readonly path: string;
  /** The id, which is the same in all attempts for one event. */
  readonly id: string;
  readonly event: string;
  readonly answered: number;
}

const secrets = new Map<string, Webhook>();
const failedOnPurpose = new Set<string>();

process.on('message', ({ path, secret }: Trust) => secrets.set(path, new Webhook(secret)));
// Exit when the demo has ended.
process.on('disconnect', () => process.exit());

const server = createServer((request, response) => {
  receive(request).then(
    (call) => {
      send({ call });
      response.writeHead(call.answered).end();
    },
    () => response.destroy(),
  );
});
server.listen(0, '127.0.0.1', () => send({ listening: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));

async function receive(request: IncomingMessage): Promise<ReceivedCall> {
  const path = request.url ?? '';
  const id = String(request.headers['webhook-id'] ?? '');
  const event = verified(secrets.get(path), await text(request), request.headers);
  if (event === undefined) return { path, id, event: '', answered: 401 };
  if (failedOnPurpose.has(path)) return { path, id, event, answered: 204 };
  failedOnPurpose.add(path);
  return { path, id, event, answered: 500 };
}

/** The name of the event; undefined when the signature is not valid. */
function verified(webhook: Webhook | undefined, body: string, headers: IncomingMessage['headers']): string | undefined {
  try {
    const content = webhook?.verify(body, headers as Record<string, string>);
    return (content as { event: string } | undefined)?.event;
  } catch {
    return undefined;
  }
}

function send(message: ReceiverMessage): void {
  process.send?.(message);
}

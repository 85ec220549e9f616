/**
 * A receiver of webhooks such as any shop might run: it verifies signatures with the public Standard Webhooks package and
 * knows what it has seen before. It answers the first call of each path with 500, to be called again.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/** What the demo tells this process: which secret signs what comes in at a path. */
export interface Trust {
  readonly path: string;
  readonly secret: string;
}

/** What this process tells the demo: where it listens, then each call. */
export type ReceiverMessage = { readonly listening: string } | { readonly call: ReceivedCall };

export interface ReceivedCall {
  readonly path: string;
  /** The same on every attempt for one event. */
  readonly id: string;
  readonly event: string;
  readonly answered: number;
}

const secrets = new Map<string, Webhook>();
const failedOnPurpose = new Set<string>();

process.on('message', ({ path, secret }: Trust) => secrets.set(path, new Webhook(secret)));
// The demo is gone.
process.on('disconnect', () => process.exit());

const server = createServer((request, response) => {
  receive(request).then(
    (call) => {
      tell({ call });
      response.writeHead(call.answered).end();
    },
    () => response.destroy(),
  );
});
server.listen(0, '127.0.0.1', () => tell({ listening: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));

async function receive(request: IncomingMessage): Promise<ReceivedCall> {
  const path = request.url ?? '';
  const id = String(request.headers['webhook-id'] ?? '');
  const event = verified(secrets.get(path), await text(request), request.headers);
  if (event === undefined) return { path, id, event: '', answered: 401 };
  if (failedOnPurpose.has(path)) return { path, id, event, answered: 204 };
  failedOnPurpose.add(path);
  return { path, id, event, answered: 500 };
}

/** The name of the event; undefined when the signature is not that of the secret. */
function verified(webhook: Webhook | undefined, body: string, headers: IncomingMessage['headers']): string | undefined {
  try {
    const content = webhook?.verify(body, headers as Record<string, string>);
    return (content as { event: string } | undefined)?.event;
  } catch {
    return undefined;
  }
}

function tell(message: ReceiverMessage): void {
  process.send?.(message);
}

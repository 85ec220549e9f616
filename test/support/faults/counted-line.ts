/** A line to a server that fails at a chosen message of the server: it is the last one that does not arrive, or it hangs there. */
import { openProxy } from './proxy.js';

export interface Failure {
  /** Which message of the server, counted over all connections, does not arrive. A message is what comes in one packet. */
  readonly at: number;
  /** `cut`: the connection ends there. `hang`: it stays open, and nothing arrives any more. */
  readonly how: 'cut' | 'hang';
  /** Default: `once`, so that the connections that are made afterwards work. */
  readonly times?: 'once' | 'always';
}

export interface CountedLine {
  readonly port: number;
  /** Messages of the server so far. */
  messages(): number;
  hasFailed(): boolean;
  close(): Promise<void>;
}

/** @param failure null: it never fails */
export async function openCountedLine(port: number, failure: Failure | null): Promise<CountedLine> {
  let messages = 0;
  let hasFailed = false;
  const proxy = await openProxy(`tcp://127.0.0.1:${port}`, {
    accepts: () => true,
    relay: (client, server) => {
      let isDead = false;
      client.on('data', (bytes: Buffer) => {
        if (!isDead) server.write(bytes);
      });
      server.on('data', (bytes: Buffer) => {
        if (isDead) return;
        messages += 1;
        const fails = failure !== null && messages >= failure.at && (failure.times === 'always' || !hasFailed);
        if (!fails) {
          client.write(bytes);
          return;
        }
        isDead = true;
        hasFailed = true;
        if (failure.how === 'cut') client.destroy();
      });
    },
  });
  return {
    port: Number(new URL(proxy.url).port),
    messages: () => messages,
    hasFailed: () => hasFailed,
    close: proxy.close,
  };
}

/** A line to a server that fails once, at a chosen message of the server; connections that are made afterwards work. */
import { openProxy } from './proxy.js';

export interface Failure {
  /** Which message of the server, counted over all connections, does not arrive. A message is what comes in one packet. */
  readonly at: number;
  /** `cut`: the connection ends there. `hang`: it stays open, and nothing arrives any more. */
  readonly how: 'cut' | 'hang';
  /** Not before so many bytes have come. */
  readonly fromByte?: number;
}

export interface CountedLine {
  readonly port: number;
  /** Messages of the server so far. */
  messages(): number;
  /** Bytes of the server that have arrived. */
  bytes(): number;
  hasFailed(): boolean;
  close(): Promise<void>;
}

/** @param failure null: it never fails */
export async function openCountedLine(port: number, failure: Failure | null): Promise<CountedLine> {
  let messages = 0;
  let came = 0;
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
        came += bytes.length;
        const isDue = messages >= (failure?.at ?? 0) && came >= (failure?.fromByte ?? 0);
        const fails = failure !== null && isDue && !hasFailed;
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
    bytes: () => came,
    hasFailed: () => hasFailed,
    close: proxy.close,
  };
}

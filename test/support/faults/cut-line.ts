/** A line to Postgres that is cut at a chosen moment, for good: what a worker that is killed there leaves behind. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * Where the line is cut, counted in what the client sends: each flush of pg is one message, about one statement.
 * `unsent`: message n is not delivered. `unanswered`: it is carried out, and its answer is lost.
 */
export interface Cut {
  readonly at: number;
  readonly lose: 'unsent' | 'unanswered';
}

export interface CutLine {
  /** The database's address by way of this line. */
  readonly url: string;
  /** Messages that the client has sent. */
  readonly messages: () => number;
  close(): Promise<void>;
}

/** Opens a line to the database at `url` that is cut once; from then on it takes no connection either. */
export async function openCutLine(url: string, cut: Cut): Promise<CutLine> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let messages = 0;
  let dead = false;

  const server = createServer((client) => {
    if (dead) {
      client.destroy();
      return;
    }
    const database = connect(Number(target.port), target.hostname);
    let answering = true;
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        database.destroy();
      });
    }
    client.on('data', (message: Buffer) => {
      messages += 1;
      if (messages < cut.at || dead) {
        if (!dead) database.write(message);
        return;
      }
      dead = true;
      if (cut.lose === 'unsent') return die();
      answering = false;
      database.once('data', die);
      database.write(message);
    });
    database.on('data', (answer: Buffer) => {
      if (answering && !dead) client.write(answer);
    });
  });

  function die(): void {
    for (const socket of sockets) socket.destroy();
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const line = new URL(url);
  line.hostname = '127.0.0.1';
  line.port = String((server.address() as AddressInfo).port);
  return {
    url: line.href,
    messages: () => messages,
    close: async () => {
      die();
      server.close();
      await once(server, 'close');
    },
  };
}

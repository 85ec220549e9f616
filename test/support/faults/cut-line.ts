/** A line to Postgres that is cut at a chosen moment, for good: what a worker that is killed there leaves behind. */
import { openProxy } from './proxy.js';

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
  readonly isCut: () => boolean;
  close(): Promise<void>;
}

/** Opens a line to the database at `url` that is cut once; from then on it takes no connection either. */
export async function openCutLine(url: string, cut: Cut): Promise<CutLine> {
  let messages = 0;
  let dead = false;
  const proxy = await openProxy(url, {
    accepts: () => !dead,
    relay: (client, database) => {
      let answering = true;
      client.on('data', (message: Buffer) => {
        messages += 1;
        if (messages < cut.at || dead) {
          if (!dead) database.write(message);
          return;
        }
        dead = true;
        if (cut.lose === 'unsent') return proxy.cut();
        answering = false;
        database.once('data', proxy.cut);
        database.write(message);
      });
      database.on('data', (answer: Buffer) => {
        if (answering && !dead) client.write(answer);
      });
    },
  });
  return { url: proxy.url, messages: () => messages, isCut: () => dead, close: proxy.close };
}

/** A line to Postgres that is cut at a chosen moment, for good: what a worker that is killed there leaves behind. */
import { openProxy } from './proxy.js';

/**
 * Where the line is cut, counted in what the client sends since it was told to count: all up to what the server answers
 * is one message, about one statement, however many packets it comes in.
 * `unsent`: message n is not delivered. `unanswered`: it is carried out, and its answer is lost.
 */
export interface Cut {
  readonly at: number;
  readonly lose: 'unsent' | 'unanswered';
}

export interface CutLine {
  /** The database's address by way of this line. */
  readonly url: string;
  /** Counts what the client sends from now on. */
  count(): void;
  /** Messages that the client has sent since. */
  readonly messages: () => number;
  readonly isCut: () => boolean;
  close(): Promise<void>;
}

/** The type of what a connection begins with, which has none. */
const FIRST = 'first';

/** What the server answers; the others are parts of it: query, sync, flush, the end of a copy, a password. */
const ANSWERED: ReadonlySet<string> = new Set([FIRST, 'Q', 'S', 'H', 'c', 'f', 'p']);

interface Frame {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Takes what a client sends, packet by packet, apart into frames of the protocol: a packet may hold several, or a half. */
function frameReader(): (packet: Buffer) => Frame[] {
  let rest = Buffer.alloc(0);
  let isFirst = true;
  return (packet) => {
    rest = Buffer.concat([rest, packet]);
    const frames: Frame[] = [];
    for (;;) {
      const typed = isFirst ? 0 : 1;
      if (rest.length < typed + 4) return frames;
      const end = typed + rest.readUInt32BE(typed);
      if (rest.length < end) return frames;
      const type = isFirst ? FIRST : String.fromCharCode(rest[0] ?? 0);
      frames.push({ type, bytes: rest.subarray(0, end) });
      rest = rest.subarray(end);
      isFirst = false;
    }
  };
}

/** Opens a line to the database at `url` that is cut once; from then on it takes no connection either. */
export async function openCutLine(url: string, cut: Cut): Promise<CutLine> {
  let messages = 0;
  let counts = false;
  let dead = false;
  const proxy = await openProxy(url, {
    accepts: () => !dead,
    relay: (client, database) => {
      let answering = true;
      const framesOf = frameReader();
      client.on('data', (packet: Buffer) => {
        if (dead) return;
        // In one piece, as it came: frame by frame each would wait for the acknowledgement of the one before.
        const delivered: Buffer[] = [];
        for (const { type, bytes } of framesOf(packet)) {
          if (counts && ANSWERED.has(type)) messages += 1;
          dead = messages >= cut.at;
          if (!dead || cut.lose === 'unanswered') delivered.push(bytes);
          if (dead) break;
        }
        if (dead && cut.lose === 'unanswered') {
          answering = false;
          database.once('data', proxy.cut);
        }
        if (delivered.length > 0) database.write(Buffer.concat(delivered));
        if (dead && cut.lose === 'unsent') proxy.cut();
      });
      database.on('data', (answer: Buffer) => {
        if (answering && !dead) client.write(answer);
      });
    },
  });
  const count = (): void => {
    counts = true;
  };
  return { url: proxy.url, count, messages: () => messages, isCut: () => dead, close: proxy.close };
}

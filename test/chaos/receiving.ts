/** The receiver of a chaos run: it accepts most requests, refuses some once and some in each attempt, and counts. */
import { type Receiver, startReceiver } from '../support/http/receiver.js';
import { seededRandom } from '../support/models/random.js';

interface Accepted {
  /** When each 2xx was sent, in milliseconds since 1970. */
  readonly at: number[];
}

export interface ChaosReceiver {
  readonly url: string;
  /** Answers of 2xx by `path event`. */
  readonly accepted: ReadonlyMap<string, Accepted>;
  /** Accepts everything from now on: an endpoint that only refuses would be called more and more rarely. */
  heal(): void;
  stop(): Promise<void>;
}

const REFUSED_ONCE = 0.04;
/** One event in so many is refused in every attempt, at the paths that end in 0. */
const REFUSED_ALWAYS = 17;

export async function startChaosReceiver(seed: number): Promise<ChaosReceiver> {
  const random = seededRandom(seed);
  let isHealed = false;
  const accepted = new Map<string, { at: number[] }>();
  const receiver: Receiver = await startReceiver((response, { path, headers }) => {
    const id = headers['webhook-id'] ?? '';
    if (!isHealed && (random() < REFUSED_ONCE || isRefusedAlways(path, id))) {
      response.writeHead(500).end();
      return;
    }
    const key = `${path} ${id}`;
    const one = accepted.get(key) ?? { at: [] };
    one.at.push(Date.now());
    accepted.set(key, one);
    response.writeHead(204).end();
  });
  const heal = (): void => {
    isHealed = true;
  };
  return { url: receiver.url, accepted, heal, stop: receiver.stop };
}

function isRefusedAlways(path: string, id: string): boolean {
  return path.endsWith('0') && Number.parseInt(id.slice(-6), 16) % REFUSED_ALWAYS === 0;
}

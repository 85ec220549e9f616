/** Runs the receiver of webhooks in a separate process, which reports each call that it gets. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ReceivedCall, ReceiverMessage, Trust } from './receiver-program.js';

const PROGRAM = fileURLToPath(new URL('../../app/demo/receiver-program.js', import.meta.url));
/** The receiver reports a call within this time after the API has recorded it. */
const REPORTED_WITHIN_MS = 10_000;

export class Receiver {
  readonly #process: ChildProcess;
  readonly #calls: ReceivedCall[] = [];

  private constructor(
    child: ChildProcess,
    /** http://host:port */
    readonly url: string,
  ) {
    this.#process = child;
    child.on('message', (message: ReceiverMessage) => {
      if ('call' in message) this.#calls.push(message.call);
    });
  }

  /** Starts the receiver. It ends with this process, and does not prevent this process from ending. */
  static async start(): Promise<Receiver> {
    const child = fork(PROGRAM, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const ended = once(child, 'exit').then(() => {
      throw new Error('the receiver of webhooks ended before it listened');
    });
    const [message]: ReceiverMessage[] = await Promise.race([once(child, 'message'), ended]);
    ended.catch(() => undefined);
    child.unref();
    child.channel?.unref();
    return new Receiver(child, message !== undefined && 'listening' in message ? message.listening : '');
  }

  /** From now on, calls of a path are accepted if they are signed with this secret. */
  trust(trust: Trust): void {
    this.#process.send(trust);
  }

  /** Waits until there are `atLeast` calls of a path, and returns them, the oldest first. */
  async calls(path: string, atLeast: number): Promise<readonly ReceivedCall[]> {
    const signal = AbortSignal.timeout(REPORTED_WITHIN_MS);
    const found = () => this.#calls.filter((call) => call.path === path);
    while (found().length < atLeast) {
      this.#process.channel?.ref();
      await once(this.#process, 'message', { signal }).finally(() => this.#process.channel?.unref());
    }
    return found();
  }
}

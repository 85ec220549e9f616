/** The receiver of webhooks as the demo sees it: a process of its own, which tells each call that it gets. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ReceivedCall, ReceiverMessage, Trust } from './receiver-program.js';

const PROGRAM = fileURLToPath(new URL('receiver-program.js', import.meta.url));
/** A call that the API knows of has been told already, or is about to be. */
const TOLD_WITHIN_MS = 10_000;

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

  /** It ends with this process, and does not keep it from ending. */
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

  /** From now on calls of a path are believed if they are signed with this secret. */
  trust(trust: Trust): void {
    this.#process.send(trust);
  }

  /** The calls of a path, the oldest first, once there are `atLeast` so many. */
  async calls(path: string, atLeast: number): Promise<readonly ReceivedCall[]> {
    const signal = AbortSignal.timeout(TOLD_WITHIN_MS);
    const found = () => this.#calls.filter((call) => call.path === path);
    while (found().length < atLeast) {
      this.#process.channel?.ref();
      await once(this.#process, 'message', { signal }).finally(() => this.#process.channel?.unref());
    }
    return found();
  }
}

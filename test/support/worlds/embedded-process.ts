/** Drives embedded-child in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ended } from './ended.js';

const CHILD = fileURLToPath(new URL('embedded-child.js', import.meta.url));

/** One line of the child. */
interface EmbeddedMessage {
  readonly said?: string;
  readonly url?: string;
  readonly pid?: number;
  readonly refused?: string;
}

export interface EmbeddedProcess {
  readonly process: ChildProcess;
  /** The address of the database and the pid of the server, or why there is none. */
  readonly outcome: Promise<EmbeddedMessage>;
  /** Resolves when the child says a line that begins so. */
  saying(beginning: string): Promise<void>;
  end(signal: NodeJS.Signals): Promise<void>;
}

export interface EmbeddedProcessOptions {
  readonly dataDir: string;
  readonly move?: boolean;
  /** As root: the user to become. */
  readonly uid?: number;
  /** The child's program, when it is not the one of this build. */
  readonly program?: string;
}

export function runEmbedded({ dataDir, move = false, uid, program = CHILD }: EmbeddedProcessOptions): EmbeddedProcess {
  const identity = uid === undefined ? {} : { uid, gid: uid };
  const child = spawn(process.execPath, [program, dataDir, ...(move ? ['move'] : [])], {
    ...identity,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout);
  const first = (wanted: (message: EmbeddedMessage) => boolean) =>
    new Promise<EmbeddedMessage>((resolve, reject) => {
      lines.on('line', (line) => {
        const message = JSON.parse(line) as EmbeddedMessage;
        if (wanted(message)) resolve(message);
      });
      lines.once('close', () => reject(new Error('the child ended without saying so')));
    });
  const outcome = first(({ url, refused }) => url !== undefined || refused !== undefined);
  outcome.catch(() => undefined);
  return {
    process: child,
    outcome,
    saying: async (beginning) => {
      await first(({ said }) => said?.startsWith(beginning) === true);
    },
    end: async (signal) => {
      if (ended(child)) return;
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    },
  };
}

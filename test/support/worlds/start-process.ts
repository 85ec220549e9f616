/** Runs what `npm start` runs, in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ended } from './ended.js';

const START = fileURLToPath(new URL('../../../src/launcher/start.js', import.meta.url));
const READY = 'ready ';

export interface StartProcess {
  readonly process: ChildProcess;
  /** All of standard output so far, a line an element. */
  readonly output: readonly string[];
  /** All of standard error so far. */
  errors(): string;
  /** Resolves with the address once it is ready. @throws with standard error when it ends instead */
  readonly ready: Promise<string>;
  /** The exit code, or the signal that ended it. */
  readonly exit: Promise<number | NodeJS.Signals>;
  /** Resolves when standard error holds a line with `text`. */
  saying(text: string): Promise<void>;
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

/** @param environment on top of PATH and HOME; nothing else is inherited */
export function runStart(environment: Readonly<Record<string, string>>, uid?: number): StartProcess {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [START], {
    ...(uid === undefined ? {} : { uid, gid: uid }),
    cwd: '/',
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  const errors: string[] = [];
  const stdout = createInterface(child.stdout);
  const stderr = createInterface(child.stderr);
  stdout.on('line', (line) => output.push(line));
  stderr.on('line', (line) => errors.push(line));
  const exit = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  const ready = new Promise<string>((resolve, reject) => {
    stdout.on('line', (line) => {
      if (line.startsWith(READY)) resolve(line.slice(READY.length));
    });
    exit.then((code) => reject(new Error(`it ended with ${code} and said: ${errors.join('\n')}`)), reject);
  });
  ready.catch(() => undefined);
  return {
    process: child,
    output,
    errors: () => errors.join('\n'),
    ready,
    exit,
    saying: (text) =>
      new Promise((resolve) => {
        if (errors.some((line) => line.includes(text))) resolve();
        stderr.on('line', (line) => {
          if (line.includes(text)) resolve();
        });
      }),
    end: (signal) => {
      if (!ended(child)) child.kill(signal);
      return exit;
    },
  };
}

/** Runs what `npm run demo` runs, in a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const DEMO = fileURLToPath(new URL('../../../src/demo/main.js', import.meta.url));

export interface DemoProcess {
  output(): string;
  errors(): string;
  /** Resolves when standard output holds `text`. @throws when it ends before */
  showing(text: string): Promise<void>;
  /** The exit code, or the signal that ended it. */
  readonly exit: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
}

/** @param environment on top of PATH and HOME; nothing else is inherited */
export function runDemo(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  program: string = DEMO,
): DemoProcess {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    cwd: '/',
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const exit = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  return {
    output: () => output,
    errors: () => errors,
    showing: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (output.includes(text)) resolve();
        };
        look();
        child.stdout.on('data', look);
        exit.then((code) => reject(new Error(`it ended with ${code} and said: ${errors}`)), reject);
      }),
    exit,
    kill: (signal) => void child.kill(signal),
  };
}

/** The command line as people and scripts run it: in a pipe, on a terminal, and several commands in one process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLI = new URL('../../../../packages/cli/', import.meta.url);
export const PROGRAM = fileURLToPath(new URL('bin/longshore.js', CLI));
const COMMANDS = new URL('dist/run-command.js', CLI).href;

/** Runs the commands of its first argument. After each it writes NUL to both streams, and the exit code to the second. */
const SEVERAL = `
import { runCommand } from '${COMMANDS}';
for (const args of JSON.parse(process.argv[1])) {
  const code = await runCommand(args);
  process.stdout.write('\\0');
  process.stderr.write('\\0' + code + '\\0');
}
process.exitCode = 0;`;

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Place {
  readonly cwd: string;
  /** Besides PATH and HOME; nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

interface Access {
  readonly baseUrl: string;
  readonly account: string;
  readonly token: string;
}

/** A folder in which the commands find the credentials that `npm start` leaves where it was called. */
export function signedIn(folder: string, { baseUrl, account, token }: Access): Place {
  mkdirSync(join(folder, '.data'), { recursive: true });
  writeFileSync(join(folder, '.data', 'credentials.json'), JSON.stringify({ baseUrl, account, token }));
  return { cwd: folder, env: { LONGSHORE_CONFIG_DIR: join(folder, 'config') } };
}

/** Starts the program in a pipe. @param input `pipe`: what is written to its `stdin` is its standard input */
export function start(args: readonly string[], place: Place, input: 'ignore' | 'pipe' = 'ignore'): ChildProcess {
  return spawn(process.execPath, [PROGRAM, ...args], { ...spawned(place), stdio: [input, 'pipe', 'pipe'] });
}

/** Runs the program in a pipe. */
export function run(args: readonly string[], place: Place): Promise<Run> {
  return outcomeOf(start(args, place));
}

/** Runs commands one after the other in one process, because starting is what takes long. */
export async function runSeveral(commands: readonly (readonly string[])[], place: Place): Promise<Run[]> {
  const args = ['--input-type=module', '-e', SEVERAL, JSON.stringify(commands)];
  const all = await outcomeOf(spawn(process.execPath, args, { ...spawned(place), stdio: ['ignore', 'pipe', 'pipe'] }));
  const outputs = all.stdout.split('\0');
  const errors = all.stderr.split('\0');
  return commands.map((_, index) => ({
    code: Number(errors[2 * index + 1]),
    stdout: outputs[index] ?? '',
    stderr: errors[2 * index] ?? '',
  }));
}

/**
 * Starts the program on a terminal, which `script` of util-linux makes. Both outputs are in `stdout`; what is written to
 * its standard input is typed.
 */
export function startOnTerminal(args: readonly string[], { cwd, env }: Place, columns = 100): ChildProcess {
  const words = [process.execPath, PROGRAM, ...args].map((word) => `'${word}'`).join(' ');
  const place = { cwd, env: { TERM: 'xterm-256color', ...env } };
  return spawn('script', ['-qec', `stty cols ${columns} rows 40; exec ${words}`, '/dev/null'], {
    ...spawned(place),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

export function outcomeOf(child: ChildProcess): Promise<Run> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}

function spawned({ cwd, env }: Place) {
  const { PATH = '', HOME = '' } = process.env;
  return { cwd, env: { PATH, HOME, ...env } };
}

const ESCAPE = String.fromCharCode(27);
const HIDE = `${ESCAPE}[?25l`;
const SHOW = `${ESCAPE}[?25h`;
const OTHERS = new RegExp(`${ESCAPE}(?:[78]|\\[0K|\\[\\?(?:25|7)[hl])`, 'g');

/**
 * What a terminal shows in the end: of a line that was drawn again and again, the last. Colours are written as `\e[1m`.
 * @throws when the cursor stays hidden
 */
export function shown(output: string): string {
  if (output.lastIndexOf(HIDE) > output.lastIndexOf(SHOW)) throw new Error('the cursor stays hidden');
  const lines = output.replaceAll(OTHERS, '').split(/\r?\n/);
  return lines.map((line) => (line.split(`${ESCAPE}[1G`).at(-1) ?? '').replaceAll(ESCAPE, '\\e')).join('\n');
}

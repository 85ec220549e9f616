/** Follows pages of the guide: runs their commands as they stand there, in a clone, from `npm start` on. */

import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeOpenFolder, type OpenFolder } from './open-folder.js';
import { reservePort } from './reserved-port.js';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
/** What commands may write beside; the rest of the repository is shared. */
const COPIED = ['examples', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json'];
const SHARED = ['src', 'db', 'test', 'bench', 'dist', 'docs', 'packages', 'node_modules'];
/** The port of the receiver in the pages. */
const RECEIVER_PORT = '4000';

interface Block {
  readonly text: string;
  /** `system`: it starts the system; `in-background`: the reader leaves it running in another terminal. */
  readonly kind: 'system' | 'in-background' | undefined;
}

interface Step {
  readonly text: string;
  readonly code: number;
  /** Both streams. For a command in the background: all of it, up to the end of the page. */
  readonly output: string;
}

/** The commands of a page: its blocks of the language `sh`. */
export function blocksOf(page: string): Block[] {
  const markdown = readFileSync(join(REPOSITORY, 'docs', 'guide', `${page}.md`), 'utf8');
  return [...markdown.matchAll(/^```sh(?: (system|in-background))?\n([\s\S]*?)^```$/gm)].map(([, kind, text = '']) => ({
    text: text.trimEnd(),
    kind: kind as Block['kind'],
  }));
}

/** A shell command that ends when a file contains the text, or after half a minute: then the test shows the file. */
function waitFor(text: string, file: string): string {
  return `n=0; until grep -qi '${text}' ${file} || [ $((n += 1)) -gt 300 ]; do sleep 0.1; done`;
}

export class GuideReader {
  private constructor(
    private readonly folder: OpenFolder,
    private readonly system: ChildProcess,
    private readonly receiverPort: number,
  ) {}

  /** Starts the system as the first page says. @throws when it does not become ready */
  static async start(): Promise<GuideReader> {
    const folder = makeOpenFolder();
    for (const name of COPIED) cpSync(join(REPOSITORY, name), join(folder.path, name), { recursive: true });
    for (const name of SHARED) symlinkSync(join(REPOSITORY, name), join(folder.path, name));
    const [command] = blocksOf('your-first-import').filter(({ kind }) => kind === 'system');
    const system = spawn('sh', ['-c', command?.text ?? ''], {
      cwd: folder.path,
      env: environment({ PORT: String(await reservePort()) }),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    await ready(system);
    return new GuideReader(folder, system, await reservePort());
  }

  /** The path of a file that a command has written. */
  path(name: string): string {
    return join(this.folder.path, name);
  }

  /**
   * Types the commands of a page, one after the other, in one shell.
   * @param awaited what the command in the background shows at the end, for which the reader waits
   * @param own what a reader puts in place of what the page says, such as the name of a server
   */
  async follow(page: string, awaited?: string, own: Readonly<Record<string, string>> = {}): Promise<Step[]> {
    const blocks = blocksOf(page).filter(({ kind }) => kind !== 'system');
    mkdirSync(this.path('.said'), { recursive: true });
    const said = (index: number) => join('.said', `${page}-${index}`);
    const script = blocks.flatMap(({ text, kind }, index) => {
      const typed = Object.entries({ [RECEIVER_PORT]: String(this.receiverPort), ...own }).reduce(
        (changed, [said, meant]) => changed.replaceAll(said, () => meant),
        text,
      );
      const listens = waitFor('listening on', said(index));
      // A group and not a subshell, so that variables live on.
      return kind === 'in-background'
        ? [`{ ${typed}\n} > ${said(index)} 2>&1 &`, listens, `echo 0 > ${said(index)}.code`]
        : [`{ ${typed}\n} > ${said(index)} 2>&1`, `echo $? > ${said(index)}.code`];
    });
    const background = blocks.findIndex(({ kind }) => kind === 'in-background');
    const end = awaited === undefined ? [] : [waitFor(awaited, said(background))];
    await this.#run(`${[...script, ...end].join('\n')}\n`);
    return blocks.map(({ text }, index) => ({
      text,
      code: Number(readFileSync(this.path(`${said(index)}.code`), 'utf8')),
      output: readFileSync(this.path(said(index)), 'utf8'),
    }));
  }

  /** Runs a script in the clone, and ends what it has left running. */
  async #run(script: string): Promise<void> {
    const shell = spawn('sh', ['-c', script], {
      cwd: this.folder.path,
      env: environment({ PORT: String(this.receiverPort), LONGSHORE_CONFIG_DIR: this.path('.config') }),
      stdio: 'ignore',
      detached: true,
    });
    await new Promise((resolve, reject) => shell.once('error', reject).once('exit', resolve));
    try {
      process.kill(-(shell.pid ?? 0), 'SIGKILL');
    } catch {
      // Nothing was left running.
    }
  }

  /** As Ctrl-C in the first terminal does. */
  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.system.once('exit', resolve));
    process.kill(-(this.system.pid ?? 0), 'SIGINT');
    await ended;
    this.folder.remove();
  }
}

function environment(own: Readonly<Record<string, string>>): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, NO_UPDATE_NOTIFIER: '1', ...own };
}

/** Waits for what the page says that the reader reads. @throws with the output when the system ends before */
function ready(system: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    const heard = (text: string) => {
      output += text;
      if (/^ready http/m.test(output)) resolve();
    };
    for (const stream of [system.stdout, system.stderr]) stream?.setEncoding('utf8').on('data', heard);
    system.once('exit', () => reject(new Error(`the system has ended before it was ready: ${output}`)));
  });
}

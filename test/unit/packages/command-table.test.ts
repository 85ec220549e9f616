/** The page of the command line names every command, the options of an import, and the exit codes that the help names. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const CLI = new URL('../../../../packages/cli/', import.meta.url);
const PROGRAM = fileURLToPath(new URL('dist/program.js', CLI));
const README = readFileSync(fileURLToPath(new URL('README.md', CLI)), 'utf8');

/** What of a command of commander says how it is called. */
interface KnownCommand {
  readonly commands: readonly KnownCommand[];
  readonly options: readonly { readonly long?: string | null }[];
  name(): string;
  configureOutput(output: { writeOut(text: string): void }): unknown;
  outputHelp(): void;
}

describe('the page of the command line', () => {
  let program: KnownCommand;

  before(async () => {
    const { createProgram } = (await import(PROGRAM)) as { createProgram(): KnownCommand };
    program = createProgram();
  });

  it('has every command in its table, and no other', () => {
    const known = leavesOf(program).filter((name) => name !== 'complete');
    const named = firstCells('Commands')
      .flatMap(codesOf)
      .filter((code) => /^[a-z]/.test(code));
    const isOf = (name: string) => (code: string) => code === name || code.startsWith(`${name} `);
    assert.deepEqual(
      known.filter((name) => !named.some(isOf(name))),
      [],
    );
    assert.deepEqual(
      named.filter((code) => !known.some((name) => isOf(name)(code))),
      [],
    );
  });

  it('has every option of an import, and none that there is not', () => {
    const access = ['--url', '--token', '--account', '--channel', '--json'];
    const known = program.commands
      .find((command) => command.name() === 'import')
      ?.options.flatMap(({ long }) => long ?? [])
      .filter((long) => !access.includes(long));
    const options = firstCells('import')
      .flatMap(codesOf)
      .flatMap((code) => /^--[a-z-]+/.exec(code)?.[0] ?? []);
    assert.deepEqual(options.sort(), known?.sort());
  });

  it('has the exit codes that the help names', () => {
    const help = helpOf(program);
    const said = [...(/Exit codes: ([^.]*)\./s.exec(help)?.[1] ?? '').matchAll(/(?:^|, )\s*(\d+) /g)].map(
      ([, code]) => code,
    );
    const listed = firstCells('Output and exit codes');
    assert.deepEqual(said.sort(), listed.sort());
  });
});

/** The commands that do something, as they are typed. */
function leavesOf({ commands }: KnownCommand): string[] {
  return commands.flatMap((command) =>
    command.commands.length === 0 ? [command.name()] : leavesOf(command).map((name) => `${command.name()} ${name}`),
  );
}

function helpOf(program: KnownCommand): string {
  let help = '';
  program.configureOutput({
    writeOut: (text) => {
      help += text;
    },
  });
  program.outputHelp();
  return help;
}

/** The first cells of the table of a chapter, without its head. */
function firstCells(chapter: string): string[] {
  const text = README.split(`\n## ${chapter}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) => (row.split(/(?<!\\)\|/)[1] ?? '').trim());
}

function codesOf(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

/** Commands that pages and messages name exist, with their options: `npm run admin -- …`, `longshore …`. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { createProgram as createAdmin } from '../../../src/admin/program.js';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
const NOT_OURS = new Set(['.git', '.data', 'node_modules', 'dist', 'coverage']);
const CALLED = /(?:npm run (?:-s )?(admin|longshore) -- |deploy\/run (admin) |^(?:\$ )?(longshore) )(.*)/;

const write = { writeOut: () => undefined, writeErr: () => undefined };
const { createProgram } = (await import(join(REPOSITORY, 'packages/cli/dist/program.js'))) as {
  createProgram: () => Command;
};
const programs: Readonly<Record<string, Command>> = {
  admin: createAdmin(write, async () => undefined),
  longshore: createProgram(),
};

/** What stands in code: between backticks, and the lines of blocks. */
function codeOf(page: string): string[] {
  const blocks = [...page.matchAll(/^ *```.*\n([\s\S]*?)^ *```/gm)].map(([, block = '']) => block);
  const spans = [...page.replace(/^ *```[\s\S]*?^ *```/gm, '').matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
  return [...blocks.flatMap((block) => block.replaceAll('\\\n', ' ').split('\n')), ...spans].map((line) =>
    line.replace(/\s+/g, ' ').trim(),
  );
}

/** What is wrong with a call; null: nothing, or it is none. */
function problemOf(code: string): string | null {
  const [, npm, deployed, typed, rest = ''] = CALLED.exec(code) ?? [];
  let command = programs[npm ?? deployed ?? typed ?? ''];
  if (command === undefined) return null;
  // What follows is a comment, another command, or where the output goes.
  const [own = ''] = rest.replace(/"[^"]*"|'[^']*'/g, 'X').split(/ # | #$| \| | > | && |;|\)/);
  const words = own
    .replace(/[[\],.]/g, ' ')
    .split(' ')
    .filter((word) => word !== '');
  for (const [index, word] of words.entries()) {
    if (word.startsWith('--')) {
      const [name = ''] = word.split('=');
      const isKnown = name === '--help' || /[<{]/.test(name) || command.options.some(({ long }) => long === name);
      if (!isKnown) return `${code}: ${command.name()} has no option ${name}`;
    } else if (command.commands.length > 0) {
      const found: Command | undefined = command.commands.find((each) => each.name() === word);
      const isPlaceholder = /^[…A-Z-]/.test(word);
      if (found === undefined && !isPlaceholder)
        return `${code}: there is no command ${words.slice(0, index + 1).join(' ')}`;
      if (found === undefined) return null;
      command = found;
    }
  }
  return null;
}

describe('the commands that pages name', () => {
  const textOf = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8');

  it('exist, and have the options', () => {
    const pages = filesBelow('.').filter((path) => path.endsWith('.md') && path !== 'CHANGELOG.md');
    const calls = pages.flatMap((path) => codeOf(textOf(path))).filter((code) => CALLED.test(code));
    assert.ok(calls.length > 150);
    assert.deepEqual(
      calls.flatMap((code) => problemOf(code) ?? []),
      [],
    );
  });

  it('exist where messages and alerts of the system name them', () => {
    const files = ['src', 'deploy', 'packages/cli/src', 'packages/console/src'].flatMap(filesBelow);
    const calls = files.flatMap((path) => textOf(path).match(/npm run (?:-s )?admin -- [^`'"\n]*/g) ?? []);
    assert.ok(calls.length > 10);
    assert.deepEqual(
      calls.flatMap((code) => problemOf(code) ?? []),
      [],
    );
  });

  it('are found, and so are those that do not exist', () => {
    const page =
      'Type `npm run admin -- token crate`, or\n\n```\nlongshore jobs list --sttus FAILED  # newest\nlongshore jobs\n```';
    assert.deepEqual(
      codeOf(page).map((text) => problemOf(text)?.split(': ')[1] ?? null),
      ['list has no option --sttus', null, null, 'there is no command token crate'],
    );
  });
});

/** The files below a folder, by their paths from the root of the repository. */
function filesBelow(folder: string): string[] {
  return readdirSync(join(REPOSITORY, folder), { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

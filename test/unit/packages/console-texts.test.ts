/** The texts of the console: none is missing in a language, none is written beside them, and each has its values. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { SHIPPED_PROFILES } from '../../../src/domain/profiles/shipped/registry.js';

const SOURCES = fileURLToPath(new URL('../../../../packages/console/src/', import.meta.url));
const LANGUAGES = ['en', 'de'] as const;

interface Part {
  readonly file: string;
  readonly part: string;
  readonly texts: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The parts of all files, as they are when the pages are loaded: `textsOf` is replaced by a function that notes them. */
async function partsOf(): Promise<readonly Part[]> {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  const parts: Part[] = [];
  for (const file of files) {
    const source = readFileSync(join(SOURCES, file), 'utf8');
    const found = source.split(/\btextsOf\('/).length - 1;
    const before = parts.length;
    for (const [, part = '', object = ''] of source.matchAll(/textsOf\('([\w-]+)', (\{[^\n]+\}|\{\n[\s\S]*?\n\})\)/g)) {
      const stdin = { contents: `export const texts = ${object};`, loader: 'ts' } as const;
      const { outputFiles } = await build({ stdin, write: false, format: 'esm' });
      const code = Buffer.from(outputFiles[0]?.contents ?? '').toString('base64');
      const { texts } = await import(`data:text/javascript;base64,${code}`);
      parts.push({ file, part, texts });
    }
    assert.equal(parts.length - before, found, `${file} has texts in a form that is not looked at`);
  }
  return parts;
}

/** The names of the values in a text, `{name}` or `{count, plural, …}`; what stands for a number has other words in it. */
function valuesIn(text: string): string {
  return [...new Set([...text.matchAll(/\{(\w+)[,}]/g)].map(([, name]) => name))].sort().join();
}

describe('the texts of the console', () => {
  let parts: readonly Part[];
  before(async () => {
    parts = await partsOf();
  });

  it('are there in every language, with the same values', () => {
    const wrong: string[] = [];
    let count = 0;
    for (const { part, texts } of parts) {
      for (const [key, text] of Object.entries(texts)) {
        count++;
        for (const language of LANGUAGES)
          if ((text[language] ?? '').trim() === '') wrong.push(`${part}.${key} in ${language}`);
        const [first = '', ...others] = LANGUAGES.map((language) => valuesIn(text[language] ?? ''));
        if (others.some((names) => names !== first)) wrong.push(`${part}.${key} has other values in another language`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(count > 200, `only ${count} texts were found`);
  });

  it('say of each profile that comes with Longshore what the API says', () => {
    const { texts = {} } = parts.find(({ part }) => part === 'shipped-profiles') ?? {};
    assert.deepEqual(
      Object.fromEntries(Object.entries(texts).map(([name, { en }]) => [name, en])),
      Object.fromEntries(SHIPPED_PROFILES.map(({ name, description }) => [name, description])),
    );
  });

  it('have a name for each part', () => {
    const names = parts.map(({ part }) => part);
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
    );
  });

  it('are all of what is shown: no element has a text of its own', () => {
    const wrong: string[] = [];
    for (const file of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.tsx')) continue;
      for (const [line, text] of readFileSync(join(SOURCES, file), 'utf8').split('\n').entries()) {
        const shown = /^\s*(?:<\w[^{]*>)?([A-Z][a-z]+(?: [a-z]+)+)[.<]|(?:aria-label|title|placeholder)="([^"]+)"/.exec(
          text,
        );
        if (shown !== null) wrong.push(`${file}:${line + 1}: ${shown[1] ?? shown[2]}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  it('keep names that turn text around from turning what is beside them', async () => {
    const source = readFileSync(join(SOURCES, 'texts/set-apart.ts'), 'utf8');
    const { code } = await transform(source, { loader: 'ts', format: 'esm' });
    const { setApart } = await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
    assert.equal(setApart('plain'), 'plain');
    assert.equal(setApart('\u202Eabc'), '\u2068\u202Eabc\u2069');
    // What would end the place of the name too early, or never.
    assert.equal(setApart('a\u2069\u202Eb'), '\u2068a\u202Eb\u2069');
    assert.equal(setApart('a\u2067b'), '\u2068a\u2067b\u2069\u2069');
    assert.equal(setApart('\u2067b\u2069'), '\u2068\u2067b\u2069\u2069');
  });
});

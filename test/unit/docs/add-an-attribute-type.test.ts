/** The tutorial shows the code of the attribute type URL as it is. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const REPOSITORY = new URL('../../../../', import.meta.url);

function read(path: string): Promise<string> {
  return readFile(fileURLToPath(new URL(path, REPOSITORY)), 'utf8');
}

function blocks(page: string, language: string): string[] {
  const fenced = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return [...page.matchAll(fenced)].map(([, code = '']) => code.trim());
}

describe('the tutorial on attribute types', () => {
  it('shows excerpts of the file that it is about', async () => {
    const page = await read('docs/build/add-an-attribute-type.md');
    const source = await read('src/domain/catalog/types/url.ts');
    const excerpts = blocks(page, 'ts');
    assert.equal(excerpts.length, 3);
    for (const excerpt of excerpts) assert.ok(source.includes(excerpt), excerpt);
  });

  it('adds lines that are in the files', async () => {
    const page = await read('docs/build/add-an-attribute-type.md');
    const diffs = blocks(page, 'diff');
    assert.equal(diffs.length, 2);
    for (const diff of diffs) {
      const source = await read(/\/\/ (\S+)/.exec(diff)?.[1] ?? '');
      const words = source.replace(/\s+/g, ' ');
      for (const [, line = ''] of diff.matchAll(/^\+(.*)$/gm)) assert.ok(words.includes(line.trim()), line);
    }
  });
});

/** The tables of attribute types in the documentation are those of the registry. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { FILE_TYPES } from '../../../src/domain/catalog/attributes/attribute-columns.js';
import { ATTRIBUTE_TYPE_NAMES } from '../../../src/domain/catalog/model/attribute-definition.js';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
const SCRIPT = 'scripts/document-value-types.mjs';
const BLOCKS = [
  'value-types',
  'attribute-file-types',
  ...ATTRIBUTE_TYPE_NAMES.map((name) => `value-${name.toLowerCase()}`),
];

const run = promisify(execFile);

describe('the tables of attribute types', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longshore-docs-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function generated(page: string): Promise<string> {
    const path = join(folder, 'page.md');
    await writeFile(path, page);
    await run(process.execPath, [join(REPOSITORY, SCRIPT), path]);
    return readFile(path, 'utf8');
  }

  it('stand in the documentation, and are up to date', async () => {
    const files = await readdir(join(REPOSITORY, 'docs'), { recursive: true });
    const seen = new Set<string>();
    for (const file of files.filter((name) => name.endsWith('.md'))) {
      const page = await readFile(join(REPOSITORY, 'docs', file), 'utf8');
      const blocks = BLOCKS.filter((block) => page.includes(`<!-- generated: ${block} -->\n`));
      if (blocks.length === 0) continue;
      for (const block of blocks) seen.add(block);
      assert.equal(page, await generated(page), `run: node ${SCRIPT} docs/${file}`);
    }
    assert.deepEqual([...seen].sort(), [...BLOCKS].sort());
  });

  it('are written between their markers, and nothing else changes', async () => {
    const other = '<!-- generated: limits -->\n\nold\n\n<!-- end -->\n';
    const page = `# Page\n\n${other}\n<!-- generated: value-types -->\nold\n<!-- end -->\nafter\n`;
    const written = await generated(page);
    const [before, between, after] = written.split(/<!-- generated: value-types -->\n|<!-- end -->\nafter\n/);
    assert.deepEqual([before, after], [`# Page\n\n${other}\n`, '']);
    assert.ok(!between?.includes('old'));
    for (const name of ATTRIBUTE_TYPE_NAMES) assert.ok(between?.includes(`\n### ${name}\n`), name);
    assert.equal(await generated(written), written);
  });

  it('name every type that an attribute file can name', async () => {
    const written = await generated('<!-- generated: attribute-file-types -->\n<!-- end -->\n');
    for (const fileType of FILE_TYPES) assert.ok(written.includes(`| \`${fileType}\` `), fileType);
  });

  it('are not looked for in vain', async () => {
    await assert.rejects(generated('# Page\n'), /has no block/);
  });
});

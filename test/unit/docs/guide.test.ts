/** The guide shows the files of examples as they are, and keeps its promises about commands. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { blocksOf } from '../../support/worlds/guide-reader.js';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
const textOf = (path: string) => readFileSync(`${REPOSITORY}${path}`, 'utf8');
const MOST_COMMANDS = 8;

describe('the guide', () => {
  for (const [page, files] of [
    [
      'receive-webhooks',
      ['receivers/receive.ts', 'receivers/receive.py', 'receivers/receive.php', 'receivers/receive.go'],
    ],
    ['bulk-json', ['bulk-json/send.mjs']],
  ] as const) {
    for (const file of files) {
      it(`shows examples/${file} as it is`, () => {
        const shown = textOf(`docs/guide/${page}.md`);
        assert.ok(
          shown.includes(`\n${textOf(`examples/${file}`)}\`\`\`\n`),
          `docs/guide/${page}.md shows something else`,
        );
      });
    }
  }

  it('needs at most 8 commands for the first import, npm start included, and continues with the one that npm start prints', () => {
    const blocks = blocksOf('your-first-import');
    assert.deepEqual(blocks[0], { text: 'npm start', kind: 'system' });
    const [first, ...others] = blocks.slice(1).flatMap(({ text }) => text.split('\n'));
    assert.ok(2 + others.length <= MOST_COMMANDS, others.join('\n'));
    assert.ok(textOf('src/launcher/start.ts').includes(`'${first}'`), first);
  });

  it('says how many rows of its first file are wrong', () => {
    const wrong = textOf('examples/first-import/corrections.csv').trimEnd().split('\n').length - 1;
    assert.match(textOf('docs/guide/your-first-import.md'), new RegExp(`${wrong} rows failed`));
  });
});

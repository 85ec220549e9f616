/** The files of shops of five countries and a spreadsheet: from an empty catalog to the items in three commands or fewer. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@longshore/client';
import { SHOP_FILES, shopFileOf } from '../support/models/shop-files.js';
import { type Run, run, signedIn } from '../support/worlds/command-line.js';
import { makeOpenFolder } from '../support/worlds/open-folder.js';
import { startWorld, type World } from '../support/worlds/world.js';

/** With each kind of mistake once. */
const ROWS = 1_300;
const MOST_COMMANDS = 3;

describe('the command line, and the files of shops', function () {
  this.timeout(90_000);
  let world: World;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 500 });
  });
  after(() => world?.stop());

  for (const shop of SHOP_FILES) {
    it(`imports the file of ${shop} in three commands or fewer, and says what is wrong in it`, async () => {
      const file = await shopFileOf(shop, ROWS);
      const folder = makeOpenFolder();
      try {
        const { account, token } = await world.newShop();
        const baseUrl = world.api.url;
        writeFileSync(join(folder.path, file.name), file.bytes);
        const place = signedIn(folder.path, { baseUrl, account, token });
        const done = await imported(file.name, (args) => run(args, place));
        const good = ROWS - file.mistakes.length;
        assert.match(
          done.stdout,
          new RegExp(
            `^${good.toLocaleString('en')} created, 0 updated, 0 unchanged, ${file.mistakes.length} failed$`,
            'm',
          ),
        );
        const client = createClient({ baseUrl, token, site: { account } });
        const job = (await client.listJobs({ type: 'ITEM_IMPORT', limit: 10 })).data[0];
        assert.ok(job);
        const errors = (await client.listJobErrors({ id: job.id, limit: 100 })).data;
        const found = errors.map(({ row, column, value }) => ({ row, column, value: value ?? '' }));
        assert.deepEqual(found, [...file.mistakes]);
        // People see them in what the command prints.
        for (const { row, column } of file.mistakes) assert.match(done.stdout, lineOf(column, row));
        assert.equal((await client.listItems({ limit: 1 })).count, good);
      } finally {
        folder.remove();
      }
    });
  }
});

/** Imports the file. What the command says to be open is answered as it says, by the first of the readings. */
async function imported(name: string, command: (args: readonly string[]) => Promise<Run>): Promise<Run> {
  let answers: readonly string[] = [];
  for (let commands = 1; commands <= MOST_COMMANDS; commands += 1) {
    const done = await command(['import', name, ...answers]);
    if (done.code !== 1) return done;
    answers = [...answers, ...answersIn(done.stderr)];
    assert.ok(answers.length > 0, done.stderr);
  }
  assert.fail(`the file is not imported after ${MOST_COMMANDS} commands, the last with ${answers.join(' ')}`);
}

/** The options that a command asks for, of each question those of its first reading. */
function answersIn(message: string): readonly string[] {
  const lines = message.split('\n');
  return lines.flatMap((line, index) => {
    const decides = /^ {4}--decide /.test(line);
    if (decides && !lines[index - 1]?.endsWith(' One of:')) return [];
    const [, option, quoted, plain] = /^ {2,4}(--[a-z-]+)(?: (?:'([^']*)'|(\S+)))? {2}/.exec(line) ?? [];
    return option === undefined ? [] : [option, quoted ?? plain].flatMap((word) => word ?? []);
  });
}

/** A line of the table of errors. */
function lineOf(column: string, row: number): RegExp {
  return new RegExp(`^[A-Z_]+ +${column} +\\d+ +(?:.*, )?${row}\\b`, 'm');
}

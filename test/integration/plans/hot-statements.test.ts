/** What each statement of the hot paths touches, whatever tables it meets and whatever Postgres believes of them. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileStore } from '../../../src/platform/file-store.js';
import { createLocalFileStore } from '../../../src/platform/local-file-store.js';
import { canMeasure, type SentStatement, sentBy } from '../../support/worlds/plans/sent-statements.js';
import { DEAD, newTables, STATES, type Tables } from '../../support/worlds/plans/table-states.js';
import { ACCEPTING } from './accepting.js';
import { CARRYING_OUT } from './carrying-out.js';
import { CHUNKS } from './chunks.js';
import { COMPARING } from './comparing.js';
import { DELIVERING } from './delivering.js';
import { FILE, FILE_ROWS } from './hot-work.js';
import { LOOKING } from './looking.js';
import { OPERATING } from './operating.js';
import { ORDERING } from './ordering.js';
import { RECONCILING } from './reconciling.js';

const HOT_WORK = [
  ...ACCEPTING,
  ...ORDERING,
  ...CARRYING_OUT,
  ...CHUNKS,
  ...COMPARING,
  ...RECONCILING,
  ...DELIVERING,
  ...OPERATING,
  ...LOOKING,
];

describe('the hot statements', function () {
  this.timeout(60_000);
  let folder: string;
  let fileStore: FileStore;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longshore-plans-'));
    await writeFile(join(folder, FILE), FILE_ROWS);
    fileStore = createLocalFileStore(folder);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const one of STATES) {
    describe('on tables that', () => {
      let tables: Tables;
      before(async function () {
        tables = await newTables(one);
        if (!(await canMeasure(tables.db))) this.skip();
      });
      after(() => tables.drop());

      for (const { name, reach } of one.states) {
        describe(`are ${name}`, () => {
          before(() => reach(tables.db, tables.laid));

          for (const { does, within, withinDead, run } of HOT_WORK) {
            const most = name === DEAD ? (withinDead ?? within) : within;
            it(`${does} within ${most} buffers a statement`, async () => {
              const measure = () => sentBy(tables.db, (trx) => run(trx, tables.laid, fileStore));
              const above = (sent: readonly SentStatement[]) => sent.filter(({ buffers }) => buffers > most);
              const sent = await measure();
              assert.notEqual(sent.length, 0);
              let dear = above(sent);
              if (dear.length > 0) {
                // The tests before it were rolled back, which leaves versions of the rows that nobody else has cleared away.
                await tables.db.raw('VACUUM');
                dear = above(await measure());
              }
              assert.ok(dear.length === 0, `more than ${most} buffers:\n${dear.map(shown).join('\n\n')}`);
            });
          }
        });
      }
    });
  }
});

function shown({ text, buffers, plan }: SentStatement): string {
  return `${buffers} buffers: ${text}\n${plan}`;
}

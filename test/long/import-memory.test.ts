/** Large files one after another through one worker: it needs as much for the third as for the first. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ATTRIBUTES, CATEGORIES, ROOT_CATEGORY } from '../../bench/data/shop-attributes.js';
import { writeWorkbook } from '../../bench/data/write-rows.js';
import type { Shop } from '../support/http/shop.js';
import { untilEnded } from '../support/http/until-ended.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { peakMemoryMB } from '../support/worlds/processes.js';
import { type SystemWorld, startSystemWorld } from '../support/worlds/system-world.js';

const MAX_MB = 220;
const TIMES = 3;
const ROWS = 1_000_000;
const LIST = ATTRIBUTES.map(({ name }) => name);

describe('the memory of a worker and of the API', function () {
  this.timeout(1_800_000);
  let folder: OpenFolder;
  let world: SystemWorld;
  before(async () => {
    folder = makeOpenFolder();
  });
  after(() => folder.remove());
  beforeEach(async () => {
    world = await startSystemWorld();
  });
  afterEach(() => world.stop());

  function shopOfBench(): Promise<Shop> {
    const leaves = Object.fromEntries(CATEGORIES.map((name) => [`${ROOT_CATEGORY}->${name}`, LIST]));
    return world.newShop().then((shop) => shop.define({ attributes: [...ATTRIBUTES], categories: leaves }));
  }

  function requireSmall(when: string): void {
    for (const name of ['worker', 'web']) {
      const peak = Math.round(peakMemoryMB(world.pidOf(name)));
      assert.ok(peak <= MAX_MB, `${name} needed ${peak} MB, ${when}`);
    }
  }

  it(`stays under ${MAX_MB} MB while a workbook of a million rows is imported ${TIMES} times`, async () => {
    const path = join(folder.path, 'items.xlsx');
    await writeWorkbook(path, ROWS);
    const bytes = await readFile(path);
    for (let time = 1; time <= TIMES; time++) {
      // An empty site each time, so that every row is written.
      const shop = await shopOfBench();
      const job = await untilEnded(shop, await shop.upload('items.xlsx', bytes, { mode: 'upsert' }));
      assert.equal(job.progressTracker.createdCount, ROWS);
      requireSmall(`import ${time}`);
    }
  });

  it(`stays under ${MAX_MB} MB while a tree of 50,000 categories is imported ${TIMES} times`, async () => {
    const shop = await (await world.newShop()).define({ attributes: [...ATTRIBUTES] });
    for (let time = 1; time <= TIMES; time++) {
      // The second time nothing changes, the third every row.
      const { csv, rows } = tree(time === TIMES ? 1 : 0);
      const jobId = await shop.upload('tree.csv', csv, { mode: 'upsert' }, { type: 'CATEGORY_IMPORT' });
      const { status, progressTracker: counts } = await untilEnded(shop, jobId);
      assert.equal(status, 'COMPLETED');
      const { createdCount, unchangedCount, updatedCount } = counts;
      assert.equal([createdCount, unchangedCount, updatedCount][time - 1], rows);
      requireSmall(`import ${time}`);
    }
  });
});

/** 20 top categories of 50 of 49 each; every third has attributes of its own. */
function tree(firstOrder: number): { csv: string; rows: number } {
  const lines: string[] = [];
  const add = (path: string, order: number): void => {
    const list = order % 3 === 0 ? LIST.slice(0, 1 + (order % 6)).join(';') : '';
    lines.push(`"${path}",${firstOrder + order},"${list}"`);
  };
  for (let top = 0; top < 20; top++) {
    add(`Department ${top}`, top);
    for (let group = 0; group < 50; group++) {
      add(`Department ${top}->Group of things ${top}.${group}`, group);
      for (let leaf = 0; leaf < 49; leaf++) {
        add(`Department ${top}->Group of things ${top}.${group}->Shelf ${leaf} with ünïcode`, leaf);
      }
    }
  }
  return { csv: `Category Path,Order,Item Attributes\n${lines.join('\n')}\n`, rows: lines.length };
}

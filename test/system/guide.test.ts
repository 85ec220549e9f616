/** The guide's first page, followed as it stands there: from an empty system to a catalog of 5,000 items. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import Papa from 'papaparse';
import { GuideReader } from '../support/worlds/guide-reader.js';

const ITEMS = 5000;
const COLUMNS = 40;
const WRONG = 21;

describe('the guide, followed by a new user', function () {
  this.timeout(180_000);
  let reader: GuideReader;
  before(async () => {
    reader = await GuideReader.start();
  });
  after(() => reader?.stop());

  it('imports a realistic CSV, corrects its errors and exports the result', async () => {
    assert.deepEqual(recordsOf('examples/first-import/items.csv'), { rows: ITEMS, columns: COLUMNS });
    const [attributes, categories, items, correction, again, listener, exported, ...more] = await reader.follow(
      'your-first-import',
      'EXPORT_READY.*verified',
    );
    assert.deepEqual(more, []);
    for (const step of [attributes, categories, correction, again, exported]) {
      assert.equal(step?.code, 0, `${step?.text}: ${step?.output}`);
    }
    assert.equal(items?.code, 2, items?.output);
    assert.match(items?.output ?? '', /4,979 created, 0 updated, 0 unchanged, 21 failed/);
    for (const column of ['Price', 'Stock', 'Release Date', 'Colour', 'Category Node', 'Active', 'GTIN', 'Title']) {
      assert.match(items?.output ?? '', new RegExp(`^[A-Z_]+ +${column} +\\d`, 'm'), column);
    }
    assert.ok(
      items?.output.includes(`Correct them there, then:\n  ${again?.text}\n`),
      'it says where the error file is, and the next command of the page',
    );
    assert.equal(correction?.output.trimEnd().split('\n').length, WRONG);
    assert.match(again?.output ?? '', /21 created, 0 updated, 0 unchanged, 0 failed/);
    assert.deepEqual(recordsOf('bicycles.csv'), { rows: ITEMS, columns: COLUMNS });
    assert.match(listener?.output ?? '', /EXPORT_READY +verified/);
  });

  it('sends JSON from a program, twice with the same result', async () => {
    for (const _ of ['first', 'again']) {
      const [sent] = await reader.follow('bulk-json');
      assert.equal(sent?.code, 0, sent?.output);
      assert.match(sent?.output ?? '', /^HP-3: VALUE_NOT_IN_OPTIONS: .*\n$/);
    }
  });

  function recordsOf(name: string): { rows: number; columns: number } {
    const { data, meta } = Papa.parse(readFileSync(reader.path(name), 'utf8'), { header: true, skipEmptyLines: true });
    return { rows: data.length, columns: meta.fields?.length ?? 0 };
  }
});

/** The guide's first pages, followed as they stand there: from an empty system to a catalog, and to a shop's own file. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { GuideReader } from '../support/worlds/guide-reader.js';
import { skipWithoutSshd, startTestSshd } from '../support/worlds/test-sshd.js';

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

  it('inspects a file of somebody, and imports it as it was decided', async () => {
    const [written, inspected, imported, tree, exported, ...more] = await reader.follow('import-your-own-file');
    assert.deepEqual(more, []);
    for (const step of [written, inspected, imported, tree, exported]) {
      assert.equal(step?.code, 0, `${step?.text}: ${step?.output}`);
    }
    assert.match(inspected?.output ?? '', /^Available from +date +ambiguous/m);
    assert.match(imported?.output ?? '', /^3 created, 0 updated, 0 unchanged, 0 failed$/m);
    assert.match(tree?.output ?? '', /Tents/);
    const tents = readFileSync(reader.path('tents-of-longshore.csv'), 'utf8');
    assert.match(tents, /Camping->Tents/);
    assert.match(tents, /1199/);
    assert.match(tents, /2026-04-03/);
  });

  it("imports a German shop's export, corrects it in its own form, and keeps the profile", async () => {
    const [written, imported, correction, again] = await reader.follow('a-file-from-a-german-erp');
    for (const step of [written, correction]) assert.equal(step?.code, 0, `${step?.text}: ${step?.output}`);
    assert.equal(imported?.code, 2, imported?.output);
    assert.match(imported?.output ?? '', /^4,966 created, 0 updated, 0 unchanged, 34 failed$/m);
    assert.match(imported?.output ?? '', / +Preis +4 +41, 1391, 2741, 4091 .*"auf Anfrage"/);
    assert.match(again?.output ?? '', /^31 created, 0 updated, 0 unchanged, 3 failed$/m);
    const [next, today, profile, change, saved, listed] = await reader.follow('keep-a-profile');
    for (const step of [next, profile, change, saved, listed]) {
      assert.equal(step?.code, 0, `${step?.text}: ${step?.output}`);
    }
    assert.match(today?.output ?? '', /^0 created, 0 updated, 496 unchanged, 4 failed$/m);
    assert.match(saved?.output ?? '', /The profile erp is saved, as version 2\./);
    assert.match(listed?.output ?? '', /^erp +ITEM_IMPORT +2 /m);
  });

  it('renews a file for a marketplace by itself', async () => {
    const [address, saved, ran, runs, fetched, ...more] = await reader.follow('hourly-to-a-marketplace');
    assert.deepEqual(more, []);
    for (const step of [address, saved, ran, runs, fetched]) {
      assert.equal(step?.code, 0, `${step?.text}: ${step?.output}`);
    }
    assert.match(saved?.output ?? '', /Marketplace, every hour was saved/);
    const [, rows = ''] = /^COMPLETED: items\.csv\.gz was sent: (\d+) rows/m.exec(ran?.output ?? '') ?? [];
    assert.ok(Number(rows) > 0, ran?.output);
    assert.match(runs?.output ?? '', /REQUEST +COMPLETED +1 /);
    assert.equal(recordsOf('at-the-marketplace.csv').rows, Number(rows));
  });

  it('fetches a file from an SFTP server', async function () {
    skipWithoutSshd(this);
    const server = await startTestSshd();
    try {
      const folder = server.newFolder();
      const lines = readFileSync(reader.path('bicycles.csv'), 'utf8').split('\n').slice(0, 21);
      writeFileSync(join(folder, 'items-2026-11-26.csv'), `${lines.join('\n')}\n`);
      const [written, tried, saved, ran, listed, ...more] = await reader.follow('every-night-from-sftp', undefined, {
        'sftp.erp.example': '127.0.0.1',
        '"port": 22': `"port": ${server.port}`,
        '"user": "shop"': `"user": ${JSON.stringify(server.user)}`,
        '"path": "/out"': `"path": ${JSON.stringify(folder)}`,
        '"the password"': JSON.stringify(server.key),
      });
      assert.deepEqual(more, []);
      for (const step of [written, tried, saved, ran, listed]) {
        assert.equal(step?.code, 0, `${step?.text}: ${step?.output}`);
      }
      assert.match(tried?.output ?? '', /The server has shown this key: SHA256:/);
      assert.match(tried?.output ?? '', /^items-2026-11-26\.csv +\S.* +takes it/m);
      assert.match(saved?.output ?? '', /ERP, every night was saved/);
      assert.match(ran?.output ?? '', /^COMPLETED: 1 new file taken; 1 file seen$/m);
      assert.match(listed?.output ?? '', /REQUEST +COMPLETED +1 /);
      assert.deepEqual(readdirSync(join(folder, 'done')), ['items-2026-11-26.csv']);
    } finally {
      await server.stop();
    }
  });

  function recordsOf(name: string): { rows: number; columns: number } {
    const { data, meta } = Papa.parse(readFileSync(reader.path(name), 'utf8'), { header: true, skipEmptyLines: true });
    return { rows: data.length, columns: meta.fields?.length ?? 0 };
  }
});

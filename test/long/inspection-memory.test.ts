/** Large files inspected one after another by one worker: it needs as much for the third as for the first. */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Shop } from '../support/http/shop.js';
import { shopFileOf } from '../support/models/shop-files.js';
import { peakMemoryMB } from '../support/worlds/processes.js';
import { type SystemWorld, startSystemWorld } from '../support/worlds/system-world.js';

const MAX_MB = 220;
const TIMES = 3;
const BATCH_ROWS = 50_000;
const BATCHES = 20;

/**
 * The file of the German shop: 40 columns in windows-1252. The generator holds all its rows in memory, so that this repeats
 * some of them, with article numbers, codes and addresses of their own.
 */
async function germanFile(): Promise<Buffer> {
  const { lines } = await shopFileOf('de', BATCH_ROWS);
  const { encoderOf } = await import(pathToFileURL(resolve('examples/generator/code-pages.mjs')).href);
  const encode: (text: string) => Buffer = encoderOf('windows-1252');
  const [header = [], ...rows] = lines as readonly (readonly string[])[];
  const own = ['Artikelnummer', 'Herstellernummer', 'EAN', 'Bild-URL', 'Produktlink'].map((name) =>
    header.indexOf(name),
  );
  const batches = Array.from({ length: BATCHES }, (_, batch) => {
    const cellsOf = (cells: readonly string[]) =>
      cells.map((cell, index) => (own.includes(index) && cell !== '' ? `${cell}-${batch}` : cell));
    return encode(rows.map((cells) => `${cellsOf(cells).map(quoted).join(';')}\r\n`).join(''));
  });
  return Buffer.concat([encode(`${header.join(';')}\r\n`), ...batches]);
}

function quoted(cell: string): string {
  return /[";]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

describe('the memory of a worker that inspects', function () {
  this.timeout(1_800_000);
  let world: SystemWorld;
  beforeEach(async () => {
    world = await startSystemWorld();
  });
  afterEach(() => world.stop());

  async function rowsInspected(shop: Shop, bytes: Buffer): Promise<number> {
    const { id, jobId } = await shop.hold(bytes, { fileName: 'shop.csv' });
    for (;;) {
      const { status, body } = await shop.get(`/files/product/${id}/inspection`, { headers: { prefer: 'wait=25' } });
      if (status === 202) continue;
      assert.equal(status, 200, JSON.stringify(body));
      await shop.ask('POST', `/jobs/${jobId}/actions/cancel`);
      return body.inspection.rows;
    }
  }

  it(`stays under ${MAX_MB} MB while a file of a million rows and 40 columns is inspected ${TIMES} times`, async () => {
    const bytes = await germanFile();
    for (let time = 1; time <= TIMES; time++) {
      assert.equal(await rowsInspected(await world.newShop(), bytes), BATCH_ROWS * BATCHES);
      for (const name of ['worker', 'web']) {
        const peak = Math.round(peakMemoryMB(world.pidOf(name)));
        assert.ok(peak <= MAX_MB, `${name} needed ${peak} MB, inspection ${time}`);
      }
    }
  });
});

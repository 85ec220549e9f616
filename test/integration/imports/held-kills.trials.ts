/**
 * Declares what a process that is killed anywhere in the life of a held file must leave behind: a file that others inspect,
 * propose and import alike, whose definitions are created once, and of which no row is lost or applied twice.
 */
import assert from 'node:assert/strict';
import { accepted, decide, openQuestions } from '@longshore/client';
import type { Cut } from '../../support/faults/cut-line.js';
import type { DoomedClient } from '../../support/faults/doomed-api.js';
import { openDoomedClient } from '../../support/faults/doomed-api.js';
import type { Answer } from '../../support/http/call-api.js';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

interface HeldKillTrials {
  /** Every so many messages to the database one is the last. */
  readonly step: number;
  /** Whether the last message is lost, or its answer; in turn, if there are several. */
  readonly ways: readonly Cut['lose'][];
  readonly files?: readonly FileName[];
  /** Variables of the environment, such as the reader of rows. */
  readonly environment: Readonly<Record<string, string>>;
}

const NEVER: Cut = { at: Number.MAX_SAFE_INTEGER, lose: 'unsent' };
/** The life of a file has more: of a part of it, the trial would be none. */
const LEAST_MESSAGES = 150;
const SHIFT = 13;
const EVERYTHING = { attributes: true, options: true, categories: true, assignments: true };
const CREATED = { attributes: 3, categories: 5 };

interface Row {
  readonly sku: string;
  readonly title: string;
  readonly category: string;
  readonly price: string;
  readonly stock: string;
}

/** Three chunks of rows. Under `skip`, one of them cannot be read. */
const ROWS: readonly Row[] = Array.from({ length: 24 }, (_, index) => ({
  sku: `R-${100 + index}`,
  title: `Rad "${index}" für Ältere`,
  category: ['Räder > E-Bikes', 'Räder > City', 'Zubehör > Helme'][index % 3] ?? '',
  price: `1.${950 - index},${10 + index}`,
  stock: String(index),
}));
const BAD_ROWS: readonly Row[] = ROWS.map((row, index) => (index === 13 ? { ...row, price: 'gratis' } : row));

/** The same rows in each form: a table, and documents whose rows are at a path. */
const FILES = {
  'shop.csv': (rows: readonly Row[]) => {
    const lines = rows.map((row) =>
      Object.values(row)
        .map((cell) => `"${cell.replaceAll('"', '""')}"`)
        .join(';'),
    );
    return ['Artikelnummer;Bezeichnung;Kategorie;Preis;Bestand', ...lines, ''].join('\r\n');
  },
  'shop.json': (rows: readonly Row[]) => JSON.stringify({ shop: 'x', data: { products: rows.map(inGerman) } }),
  'shop.xml': (rows: readonly Row[]) => {
    const escaped = (text: string) => text.replaceAll('"', '&quot;').replaceAll('>', '&gt;');
    const members = (row: Row) =>
      Object.entries(inGerman(row)).map(([name, text]) => `<${name}>${escaped(text)}</${name}>`);
    const elements = rows.map((row) => `<product>${members(row).join('')}</product>`);
    return `<?xml version="1.0" encoding="UTF-8"?>\n<shop><products>${elements.join('\n')}</products></shop>\n`;
  },
};
type FileName = keyof typeof FILES;

function inGerman({ sku, title, category, price, stock }: Row) {
  return { Artikelnummer: sku, Bezeichnung: title, Kategorie: category, Preis: price, Bestand: stock };
}

export function runHeldKillTrials({ step, ways, files, environment }: HeldKillTrials): void {
  let world: World;
  before(async () => {
    world = await startWorld({ chunkRows: 8, files: 'through the API', environment });
    await world.startWorkers({}, ['bulk', 'export']);
  });
  after(() => world.stop());

  const names = files ?? (Object.keys(FILES) as FileName[]);
  for (const [nth, name] of names.entries()) {
    for (const onError of ['skip', 'abort'] as const) {
      // So that together they try other messages than each alone.
      const first = 1 + (((2 * nth + (onError === 'skip' ? 0 : 1)) * SHIFT) % step);
      it(`leaves ${name} with onError ${onError} to others, which import it alike (${ways.join(' or ')})`, async () => {
        const bytes = Buffer.from(FILES[name](onError === 'skip' ? BAD_ROWS : ROWS));
        const { found: expected } = await lived(name, bytes, onError, NEVER);
        assert.deepEqual([expected.job.created, expected.job.failed], onError === 'skip' ? [23, 1] : [24, 0]);
        const { attributes, categories } = expected;
        assert.deepEqual({ attributes: attributes.length, categories: categories.length - 1 }, CREATED);
        for (let at = first, kills = 0; ; at += step, kills++) {
          const lose = ways[kills % ways.length] ?? 'unsent';
          const { isCut, found } = await lived(name, bytes, onError, { at, lose });
          assert.deepEqual(found, expected, `killed at message ${at}, ${lose}`);
          if (!isCut) {
            assert.ok(at > LEAST_MESSAGES, `the life of the file has ${at} messages at most`);
            return;
          }
        }
      });
    }
  }

  /** The life of a held file in a site of its own. */
  async function lived(name: string, bytes: Buffer, onError: string, cut: Cut) {
    const shop = await world.newShop();
    const client = await openDoomedClient(world, shop, cut);
    try {
      const jobId = await live(client, name, bytes, onError);
      const found = await state(shop, jobId);
      return { found, isCut: client.isCut() };
    } finally {
      await client.close();
    }
  }

  /** What there is of a shop, and what its jobs say. */
  async function state(shop: Shop, jobId: string) {
    const of = (table: string) => world.db(table).where({ site_id: shop.siteId });
    const { created, failed, total, status, errors, errorFile } = await shop.outcome(jobId);
    const { created: made, profile } = await shop.ask('GET', `/jobs/${jobId}`);
    const written = errorFile === null ? null : (await shop.download(errorFile)).bytes.toString();
    return {
      job: { created, failed, total, status, made, profile },
      errors,
      written: written?.replaceAll(jobId, 'JOB') ?? null,
      jobs: await of('job').orderBy('kind').select('kind', 'status'),
      files: await of('file').orderBy('type').select('type', 'status'),
      attributes: await of('attribute').orderBy('position').select('name', 'type'),
      categories: await of('category').orderBy('node_id').select('name', 'node_id'),
      assignments: (await world.db('category_attribute').whereIn('category_id', of('category').select('id'))).length,
      version: (await world.db('site').where({ id: shop.siteId }).first('definitions_version')).definitions_version,
      items: (await shop.items()).map(({ sku, status: state, nodeName, attributes }) => [
        sku,
        state,
        nodeName,
        attributes,
      ]),
    };
  }
}

/** Everything that a client does for a held file. @returns the job that imports it */
async function live(client: DoomedClient, fileName: string, bytes: Buffer, onError: string): Promise<string> {
  const announced = await client.call('POST', '/files/product', {
    body: { fileName, fileType: 'ITEM_IMPORT', hold: true },
    headers: { 'idempotency-key': 'announced' },
  });
  assert.equal(announced.status, 200, announced.text);
  const { id, jobId, location } = announced.body;
  await client.upload({ id, location }, bytes);
  await whenReady(client, `/files/product/${id}/inspection`);
  const { proposal } = await whenReady(client, `/files/product/${id}/proposal`);
  const first = openQuestions(proposal).map(({ column, readings }) => [column, readings[0]?.value ?? '']);
  const decided = accepted(decide(proposal, Object.fromEntries(first)));
  const started = await client.call('POST', `/files/product/${id}/actions/import`, {
    body: { ...decided, createMissing: EVERYTHING, options: { onError } },
    headers: { 'idempotency-key': 'imported' },
  });
  assert.equal(started.status, 202, started.text);
  assert.equal(started.body.jobId, jobId);
  return jobId;
}

async function whenReady(client: DoomedClient, path: string): Promise<Answer['body']> {
  const first = await client.call('GET', path);
  if (first.status === 200) return first.body;
  assert.equal(first.status, 202, first.text);
  const next = await client.call('GET', path, { headers: { prefer: 'wait=25' } });
  assert.equal(next.status, 200, next.text);
  return next.body;
}

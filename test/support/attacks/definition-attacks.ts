/** Attacks by what a tenant defines and sends: definitions and rows that are costly to read, check and write. */
import assert from 'node:assert/strict';
import { askForExport } from '../http/exporting.js';
import type { Shop } from '../http/shop.js';
import type { Attack, Attacker } from './attack.js';
import { repeating } from './repeating.js';
import { repeatingJobs } from './repeating-jobs.js';

const BULK = 500;
const CATEGORY = 'Costly';

/** The attacks, by what they do. */
export const DEFINITION_ATTACKS = {
  'values that are none of 10,000 options': async ({ strength }: Attacker, shop: Shop) => {
    const options = Array.from({ length: 10_000 * strength }, (_, index) => `option ${index} of many`);
    const names = Array.from({ length: 10 }, (_, index) => `Choice ${index}`);
    await define(
      shop,
      names.map((name) => ({ name, type: 'OPTIONS', options })),
    );
    const wrong = Object.fromEntries(names.map((name) => [name, 'option 5000 of may']));
    const body = bodyOf(rows(100, wrong));
    return repeating(4, () => send(shop, body));
  },
  'options that change while they are used': async ({ strength }: Attacker, shop: Shop) => {
    const options = Array.from({ length: 10_000 * strength }, (_, index) => `option ${index} of many`);
    const names = Array.from({ length: 10 }, (_, index) => `Choice ${index}`);
    await define(
      shop,
      names.map((name) => ({ name, type: 'OPTIONS', options })),
    );
    const changed = options.slice(1);
    let number = 0;
    return repeating(4, async () => {
      await shop.bulkAttributes([{ name: 'Choice 0', type: 'OPTIONS', options: [...changed, `more ${number++}`] }]);
      await shop.bulk('upsert', rows(1, { 'Choice 1': options[0] }));
    });
  },
  '60 templates of 5,000 attributes at once': async ({ strength }: Attacker, shop: Shop) => {
    await define(shop, texts(5_000 * strength));
    const choices = Array.from({ length: 10_000 * strength }, (_, index) => `choice ${index}`);
    const options = Array.from({ length: 10 }, (_, index) => ({
      name: `C${index}`,
      type: 'OPTIONS',
      options: choices,
    }));
    await shop.define({ attributes: options });
    const chosen = await shop.category(
      'Chosen',
      options.map(({ name }) => name),
    );
    const wide = await shop.category(CATEGORY);
    const body = { format: 'XLSX' };
    let number = 0;
    return repeating(60, () => {
      const nodeId = [undefined, wide, chosen][number++ % 3];
      return shop.post('/item-import-templates', nodeId === undefined ? body : { ...body, nodeId });
    });
  },
  'rows of 1,500 values': async ({ strength }: Attacker, shop: Shop) => {
    const attributes = texts(1_500 * strength);
    await define(shop, attributes);
    // Each request changes all values that the one before has written.
    const bodies = Array.from({ length: 8 }, (_, number) => {
      const values = Object.fromEntries(attributes.map(({ name }) => [name, `value ${number}`]));
      return bodyOf(rows(100, values));
    });
    let number = 0;
    return repeating(4, () => send(shop, bodies[number++ % bodies.length] ?? ''));
  },
  'rows that name attributes which do not exist': async ({ strength }: Attacker, shop: Shop) => {
    await define(shop, texts(5_000 * strength));
    const unknown = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`Tekst of the row ${index}`, 'x']));
    const body = bodyOf(rows(1_000, unknown));
    return repeating(4, () => send(shop, body));
  },
  'jobs of 40 sites at once': async ({ strength }: Attacker, shop: Shop) => {
    const stages = Array.from({ length: 40 * strength }, (_, index) => ({ stage: `stage-${index}` }));
    for (const context of stages)
      await shop.ask('POST', '/api-category/v1/category', { body: { name: CATEGORY }, context });
    const body = bodyOf(rows(2_000, {}));
    let number = 0;
    return repeating(stages.length, () => send(shop, body, stages[number++ % stages.length]));
  },
  'numbers of 100,000 digits': async ({ strength }: Attacker, shop: Shop) => {
    await define(shop, [
      { name: 'Price', type: 'DECIMAL' },
      { name: 'Count', type: 'INTEGER' },
    ]);
    const digits = '7'.repeat(100_000 * strength);
    const body = `[${Array.from(
      { length: 10 },
      (_, index) => `{"sku":"n${index}","nodeName":"${CATEGORY}","attributes":{"Price":${digits}.5,"Count":${digits}}}`,
    ).join(',')}]`;
    return repeating(4, () => send(shop, body));
  },
  'exports in a loop': async ({ strength }: Attacker, shop: Shop) => {
    const attributes = texts(50);
    await define(shop, attributes);
    const values = Object.fromEntries(attributes.map(({ name }) => [name, 'a value of some length']));
    for (let first = 0; first < 10_000 * strength; first += BULK) {
      const { status, text } = await shop.bulk('upsert', rows(BULK, values, first));
      assert.equal(status, 200, text);
    }
    return repeatingJobs(20, shop, async () => {
      const { body } = await askForExport(shop, { body: { format: 'XLSX' } });
      return body.jobId;
    });
  },
} satisfies Readonly<Record<string, (attacker: Attacker, shop: Shop) => Promise<Attack>>>;

/** A body is computed once: the attacker's program shares the machine with what it attacks. */
function bodyOf(rows: readonly unknown[]): string {
  return JSON.stringify(rows);
}

function send(shop: Shop, body: string, context: object = {}) {
  return shop.bulk('upsert', body, { context, headers: { 'content-type': 'application/json' } });
}

function texts(count: number): { readonly name: string; readonly type: string }[] {
  return Array.from({ length: count }, (_, index) => ({ name: `Text of the row ${index}`, type: 'TEXT' }));
}

/** A category that has all of these attributes. */
async function define(
  shop: Shop,
  attributes: readonly Readonly<Record<string, unknown> & { name: string }>[],
): Promise<void> {
  for (let first = 0; first < attributes.length; first += BULK) {
    await shop.define({ attributes: attributes.slice(first, first + BULK) });
  }
  await shop.define({ categories: { [CATEGORY]: attributes.map(({ name }) => name) } });
}

function rows(count: number, attributes: Readonly<Record<string, unknown>>, first = 0): unknown[] {
  return Array.from({ length: count }, (_, index) => ({ sku: `s${first + index}`, nodeName: CATEGORY, attributes }));
}

export const DEFINITION_ATTACK_NAMES = Object.keys(DEFINITION_ATTACKS) as (keyof typeof DEFINITION_ATTACKS)[];

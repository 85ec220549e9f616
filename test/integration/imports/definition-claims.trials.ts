/** Declares that random jobs of attributes and of categories claim nothing in their errors that is not true afterwards. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Outcome, RowError, Shop, WriteMode } from '../../support/http/shop.js';
import { workbookOf } from '../../support/models/written-workbook.js';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const WITHIN_MS = 30_000;
const UNKNOWN_ID = 'f'.repeat(24);

export interface ClaimTrials {
  readonly stories: number;
  readonly seed: number;
  /** No story is begun after this time. */
  readonly mostMs?: number;
}

// What jobs are made of.

const FORMS = ['bulk', 'json', 'jsonl', 'csv', 'xlsx'] as const;
type Form = (typeof FORMS)[number];

interface AttributeRow {
  readonly action?: 'CREATE' | 'UPDATE' | 'DELETE' | undefined;
  /** Name of the attribute whose id is given; `?`: an id that no attribute has. */
  readonly idOf?: string | undefined;
  readonly name: string;
  readonly type?: 'TEXT' | 'INTEGER' | 'OPTIONS' | undefined;
  readonly mapping?: 'title' | undefined;
  readonly validation?: { readonly unique?: boolean; readonly required?: boolean } | undefined;
  /** A value of a wrong type, in a field that does not matter otherwise. */
  readonly isFaulty: boolean;
}

interface CategoryRow {
  readonly names: readonly string[];
  readonly tree: 'PRIMARY' | 'ALTERNATE';
  /** Path of the category whose node id names the parent; `?`: a node id that no category has. In JSON only. */
  readonly parentIdOf?: string | undefined;
  readonly attributes?: readonly string[] | undefined;
  readonly isFaulty: boolean;
}

interface DefinitionJob {
  readonly form: Form;
  readonly mode: WriteMode;
  readonly onError: 'skip' | 'abort';
  readonly rows: { readonly attributes: readonly AttributeRow[] } | { readonly categories: readonly CategoryRow[] };
}

const rarely = fc.integer({ min: 0, max: 7 }).map((chance) => chance === 0);
const names = fc.constantFrom('A', 'B', 'C', 'a ', 'D', 'E', 'Ab', 'SKU');
const attributeRow: fc.Arbitrary<AttributeRow> = fc.record({
  action: fc.constantFrom(undefined, 'CREATE', 'UPDATE', 'UPDATE', 'DELETE', 'DELETE'),
  idOf: fc.constantFrom(undefined, undefined, undefined, 'A', 'D', '?'),
  name: names,
  type: fc.constantFrom(undefined, undefined, 'TEXT', 'INTEGER', 'OPTIONS'),
  mapping: fc.constantFrom(undefined, undefined, undefined, undefined, 'title'),
  validation: fc.constantFrom(undefined, undefined, { unique: true }, { unique: false }, { required: true }),
  isFaulty: rarely,
});
const categoryRow: fc.Arbitrary<CategoryRow> = fc.record({
  names: fc.array(fc.constantFrom('Top', 'Leaf', 'Other', 'New', 'Deep'), { minLength: 1, maxLength: 3 }),
  tree: fc.constantFrom('PRIMARY', 'PRIMARY', 'PRIMARY', 'ALTERNATE'),
  parentIdOf: fc.constantFrom(undefined, undefined, undefined, undefined, 'PRIMARY->Top', 'PRIMARY->Other', '?'),
  attributes: fc.option(fc.uniqueArray(fc.constantFrom('A', 'B!', 'D', 'Z'), { maxLength: 2 }), { nil: undefined }),
  isFaulty: rarely,
});
const definitionJob: fc.Arbitrary<DefinitionJob> = fc.record({
  form: fc.constantFrom(...FORMS),
  mode: fc.constantFrom('upsert', 'upsert', 'insert', 'update'),
  onError: fc.constantFrom('skip', 'skip', 'skip', 'abort'),
  rows: fc.oneof(
    fc.record({ attributes: fc.array(attributeRow, { minLength: 1, maxLength: 6 }) }),
    fc.record({ categories: fc.array(categoryRow, { minLength: 1, maxLength: 6 }) }),
  ),
});

export function describeDefinitionClaims({ stories, seed, mostMs = 600_000 }: ClaimTrials): void {
  describe('random jobs of attributes and of categories', function () {
    this.timeout(mostMs + 120_000);
    let world: World;
    before(async () => {
      world = await startWorld({ workers: true });
    });
    after(() => world.stop());

    it(`say what is true, a dry run too, and leave items with the status of their category (seed ${seed})`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(definitionJob, { minLength: 1, maxLength: 4 }), async (jobs) => {
          const shop = await furnished(await world.newShop());
          for (const [nth, job] of jobs.entries()) {
            await tryJob(world, shop, job).catch((error: Error) => {
              throw new Error(`job ${nth + 1}: ${error.message}`, { cause: error });
            });
          }
        }),
        { seed, numRuns: stories, interruptAfterTimeLimit: mostMs },
      );
    });
  });
}

async function furnished(shop: Shop): Promise<Shop> {
  await shop.define({
    attributes: ['A', 'B', { name: 'C', type: 'INTEGER' }],
    categories: { 'Top->Leaf': ['A', 'B!', 'C'], Other: ['A'] },
    mapping: { title: 'A' },
  });
  const { body } = await shop.bulk('insert', [
    { sku: 'i1', nodeName: 'Top->Leaf', attributes: { A: 'x', B: '1', C: 1 } },
    { sku: 'i2', nodeName: 'Top->Leaf', attributes: { A: 'x', C: 2 } },
    { sku: 'i3', nodeName: 'Other', attributes: { A: 'y' } },
  ]);
  assert.deepEqual(body.failed, []);
  return shop;
}

// Carrying out a job, as a dry run first where there is one.

async function tryJob(world: World, shop: Shop, job: DefinitionJob): Promise<void> {
  const before = await look(world, shop);
  const dry = job.form === 'bulk' && 'attributes' in job.rows ? null : await carryOut(shop, job, before, true);
  if (dry !== null) assert.deepEqual(await look(world, shop), before);
  const outcome = await carryOut(shop, job, before, false);
  const after = await look(world, shop);
  if (dry !== null) assert.deepEqual(plain(dry), plain(outcome), 'a dry run reports what the job reports');
  const isWritten = outcome.status.startsWith('COMPLETED');
  if (!isWritten) assert.deepEqual(after, before);
  // What is said about rows that were not applied because of others is about what would have been.
  if (isWritten) assertClaims(job, outcome, before, after);
  await assertStatuses(world, shop);
}

function plain({ errors }: Outcome): unknown[] {
  return errors.map(({ row, column, code, message }) => ({ row, column, code, message }));
}

async function carryOut(shop: Shop, job: DefinitionJob, seen: Seen, validateOnly: boolean): Promise<Outcome> {
  const { form, onError, rows } = job;
  const isOfAttributes = 'attributes' in rows;
  if (form === 'bulk') {
    const query = `?onError=${onError}&validateOnly=${validateOnly}`;
    const { body } = isOfAttributes
      ? await shop.bulkAttributes(elementsOf(job, seen))
      : await shop.bulkCategories(elementsOf(job, seen), query);
    return shop.outcome(body.jobId);
  }
  const type = isOfAttributes ? 'ATTRIBUTE_IMPORT' : 'CATEGORY_IMPORT';
  return shop.importFile(
    `rows.${form}`,
    await contentOf(job, seen),
    { mode: modeOf(job), onError, validateOnly },
    { type },
  );
}

function modeOf({ form, mode }: DefinitionJob): WriteMode {
  return form === 'bulk' ? 'upsert' : mode;
}

function elementsOf({ form, rows }: DefinitionJob, seen: Seen): object[] {
  if ('categories' in rows) return rows.categories.map((row) => categoryElement(row, seen));
  return rows.attributes.map(({ action, idOf, name, type, mapping, validation, isFaulty }) => ({
    ...(form === 'bulk' && idOf !== undefined ? { id: idFor(idOf, seen) } : {}),
    ...(form === 'bulk' && action !== undefined ? { action } : {}),
    name,
    ...(type === undefined ? {} : { type }),
    ...(type === 'OPTIONS' ? { options: ['o'] } : {}),
    ...(mapping === undefined ? {} : { mapping }),
    ...(validation === undefined ? {} : { validation }),
    ...(isFaulty ? { description: 5 } : {}),
  }));
}

function idFor(name: string, { attributes }: Seen): string {
  return attributes.get(name)?.id ?? UNKNOWN_ID;
}

function categoryElement({ names: path, tree, parentIdOf, attributes, isFaulty }: CategoryRow, seen: Seen): object {
  const parentNodeId = parentIdOf === undefined ? undefined : (seen.categories.get(parentIdOf)?.nodeId ?? 99_999);
  const named =
    parentNodeId === undefined
      ? { path: path.join('->'), ...(tree === 'ALTERNATE' ? { type: tree } : {}) }
      : { name: path.at(-1), parentNodeId };
  const itemAttributes = attributes?.map((one) => ({ name: one.replace('!', ''), mandatory: one.endsWith('!') }));
  return { ...named, order: isFaulty ? 'x' : 1, ...(itemAttributes === undefined ? {} : { itemAttributes }) };
}

const FILE_TYPES = { TEXT: 'SHORT TEXT', INTEGER: 'NUMBER', OPTIONS: 'LOV' } as const;

async function contentOf(job: DefinitionJob, seen: Seen): Promise<Buffer> {
  const { form, rows } = job;
  if (form === 'json' || form === 'jsonl') {
    const lines = elementsOf(job, seen).map((element) => JSON.stringify(element));
    return Buffer.from(form === 'jsonl' ? lines.join('\n') : `[${lines.join(',\n')}]`);
  }
  const table = 'attributes' in rows ? attributeTable(rows.attributes) : categoryTable(rows.categories);
  const [header = [], ...lines] = table;
  return form === 'xlsx' ? workbookOf(header, lines) : Buffer.from(table.map((cells) => cells.join(',')).join('\n'));
}

function attributeTable(rows: readonly AttributeRow[]): string[][] {
  const flag = (value: boolean | undefined) => (value === undefined ? '' : String(value).toUpperCase());
  return [
    ['Attribute Title', 'Type of Attribute', 'Decimal', 'Unique', 'Mandatory', 'Mapping', 'Max Length', 'Value 1'],
    ...rows.map(({ name, type, mapping, validation, isFaulty }) => [
      name,
      type === undefined ? '' : FILE_TYPES[type],
      type === 'INTEGER' ? 'FALSE' : '',
      flag(validation?.unique),
      flag(validation?.required),
      mapping ?? '',
      isFaulty ? 'x' : '',
      type === 'OPTIONS' ? 'o' : '',
    ]),
  ];
}

function categoryTable(rows: readonly CategoryRow[]): string[][] {
  return [
    ['Category Path', 'Type', 'Order', 'Item Attributes'],
    ...rows.map(({ names: path, tree, attributes, isFaulty }) => [
      path.join('->'),
      tree,
      isFaulty ? 'x' : '1',
      attributes === undefined ? '' : attributes.length === 0 ? 'NULL' : attributes.join(';'),
    ]),
  ];
}

// What a site contains.

interface SeenItem {
  readonly sku: string;
  readonly status: string;
  readonly category: string;
  readonly values: Readonly<Record<string, unknown>>;
}

interface Seen {
  /** By name. */
  readonly attributes: ReadonlyMap<string, { readonly id: string; readonly type: string }>;
  /** By path, from the root of the tree. */
  readonly categories: ReadonlyMap<string, { readonly nodeId: number; readonly tree: string }>;
  readonly items: readonly SeenItem[];
  readonly roles: ReadonlyMap<string, string>;
}

async function look({ db }: World, shop: Shop): Promise<Seen> {
  const { siteId } = shop;
  const attributes = await db('attribute').where({ site_id: siteId }).orderBy('name').select('id', 'name', 'type');
  const nameOf = new Map<string, string>(attributes.map(({ id, name }) => [id, name]));
  const categories = await db('category').where({ site_id: siteId }).orderBy('depth').orderBy('node_id');
  const paths = new Map<string, string>();
  for (const { id, parent_id, name } of categories) {
    paths.set(id, parent_id === null ? name : `${paths.get(parent_id)}->${name}`);
  }
  const items = await db('item').where({ site_id: siteId }).orderBy('sku');
  const roles = await db('attribute_mapping').where({ site_id: siteId }).orderBy('mapping');
  return {
    attributes: new Map(attributes.map(({ id, name, type }) => [name, { id, type }])),
    categories: new Map(categories.map(({ id, node_id, tree }) => [paths.get(id) ?? '', { nodeId: node_id, tree }])),
    items: items.map(({ sku, status, node_id, attributes: values }) => ({
      sku,
      status,
      category: paths.get(categories.find((one) => one.node_id === node_id)?.id) ?? '',
      values: Object.fromEntries(Object.entries(values).map(([id, value]) => [nameOf.get(id) ?? id, value])),
    })),
    roles: new Map(roles.map(({ mapping, attribute_id }) => [mapping, nameOf.get(attribute_id) ?? ''])),
  };
}

// What errors claim.

interface Claimed {
  readonly before: Seen;
  readonly after: Seen;
  readonly error: RowError;
  readonly failed: ReadonlySet<number>;
  /** Number of the row → what it is about: the name of an attribute, or the path of a category; null: it does not say. */
  readonly abouts: ReadonlyMap<number, string | null>;
}

type Claim = readonly [pattern: RegExp, isTrue: (claimed: Claimed, ...parts: string[]) => boolean];

/** A later row may have changed the case of the name. */
const valueIn = ({ values }: SeenItem, name: string) =>
  Object.entries(values).find(([one]) => keyOf(one) === keyOf(name))?.[1];
const held = ({ items }: Seen, name: string) => items.filter((item) => valueIn(item, name) !== undefined).length;
const has = (seen: Seen, name: string) => attributeNamed(seen, name) !== undefined;
const laterRowOf = ({ abouts, failed, error }: Claimed, name: string) =>
  [...abouts].some(([row, about]) => row > error.row && !failed.has(row) && keyOf(about ?? '') === keyOf(name));

const CLAIMS: readonly Claim[] = [
  // Of attributes.
  [
    /^there is no attribute called "(.*)": (?:use CREATE to add it|did you mean "(.*)"\?)$/,
    ({ after }, name = '', near) => !has(after, name) && (near === undefined || has(after, near)),
  ],
  [
    /^there is no attribute with the id (\w+)$/,
    ({ after }, id) => ![...after.attributes.values()].some((a) => a.id === id),
  ],
  [
    /^there was no attribute "(.*)" yet when this row was applied, and a later row has created it: /,
    (claimed, name = '') => has(claimed.after, name) && laterRowOf(claimed, name),
  ],
  [/^an attribute called "(.*)" exists already: /, ({ after }, name = '') => has(after, name)],
  [
    /^an attribute called "(.*)" existed when this row was applied, and a later row has removed or renamed it: /,
    ({ after }, name = '') => !has(after, name),
  ],
  [/^there is no attribute "(.*)" yet, and a new one needs a type$/, ({ after }, name = '') => !has(after, name)],
  [
    /^"(.*)" is in use: (\d+) items? holds? a value of it\. /,
    ({ after }, name = '', count) => has(after, name) && held(after, name) === Number(count),
  ],
  [
    /^"(.*)" is (\w+) and cannot become \w+: (\d+) items? holds? a value of it\. /,
    ({ after }, name = '', type, count) =>
      attributeNamed(after, name)?.type === type && held(after, name) === Number(count),
  ],
  [
    /^"(.*)" cannot be made unique: the items "(.*)" and "(.*)" both have the value "?(.*?)"?; change/,
    ({ after: { items } }, name = '', one, other, value) =>
      [one, other].every((sku) => items.some((item) => item.sku === sku && String(valueIn(item, name)) === value)),
  ],
  [
    /^"(.*)" is mapped to "(\w+)": .*; map another attribute first$/,
    ({ after }, name, role = '') => after.roles.get(role) === name,
  ],
  [/^the site contains items, which depend on the current mapping/, ({ after }) => after.items.length > 0],
  [
    /^name (?:.* )?is not the name of the attribute (\w+), which is "(.*)": /,
    ({ before, after }, id, name = '') => [before, after].some((seen) => attributeNamed(seen, name)?.id === id),
  ],
  // Of categories.
  [/^the category already exists, and an insert changes none/, (claimed) => isThere(claimed.after, aboutOf(claimed))],
  [/^there is no such category, and an update creates none/, (claimed) => !isThere(claimed.after, aboutOf(claimed))],
  [
    /^its parent "(.*)" does not exist, and no row of this input creates it$/,
    ({ after, abouts }, path = '') =>
      !isThere(after, path) && ![...abouts.values()].some((about) => isSame(about, path)),
  ],
  [
    /^its parent "(.*)" does not exist: row (\d+), which would create it, was not applied$/,
    ({ after, abouts, failed }, path = '', row) =>
      !isThere(after, path) && failed.has(Number(row)) && isSame(abouts.get(Number(row)) ?? null, path),
  ],
  [
    /^"(.*)" contains items, so it cannot have subcategories; /,
    ({ after }, path = '') => after.items.some(({ category }) => isSame(category, path)),
  ],
  [
    /^there is no such parent; name it by its path, node id or id$/,
    ({ after }) => [...after.categories.values()].every(({ nodeId }) => nodeId !== 99_999),
  ],
  [
    /^there is no attribute "(.*)": (?:create it first, or leave it out|did you mean "(.*)"\?)$/,
    ({ after }, name = '', near) => !has(after, name) && (near === undefined || has(after, near)),
  ],
  // Of both.
  [
    /^row (\d+) has the same key and comes (later|first), and the (?:last|first) row with a key wins/,
    (claimed, row, place) => isTwin(claimed, Number(row), place) && !claimed.failed.has(Number(row)),
  ],
  [
    /^row (\d+) has the same key and comes (later|first); it failed, so nothing of either was applied/,
    (claimed, row, place) => isTwin(claimed, Number(row), place) && claimed.failed.has(Number(row)),
  ],
];

/** A message without any of these words is about the row alone. */
const CLAIM_WORDS =
  /\b(?:exists?|existed|there (?:is|was) no|already|applied|in use|holds?|contains?|both have|mapped)\b/;

function assertClaims(job: DefinitionJob, outcome: Outcome, before: Seen, after: Seen): void {
  const { rows } = job;
  const first = job.form === 'csv' || job.form === 'xlsx' ? 2 : 1;
  const all =
    'attributes' in rows ? rows.attributes.map(({ name }) => name) : rows.categories.map((row) => pathOf(job, row));
  const abouts = new Map(all.map((about, index) => [index + first, about]));
  const failed = new Set(outcome.errors.map(({ row }) => row));
  for (const error of outcome.errors) {
    const claimed = { before, after, error, failed, abouts };
    const claims = CLAIMS.flatMap(([pattern, isTrue]) => {
      const match = pattern.exec(error.message);
      return match === null ? [] : [isTrue(claimed, ...match.slice(1))];
    });
    if (claims.length === 0 && !CLAIM_WORDS.test(error.message)) continue;
    const flaw = claims.length === 0 ? 'is not known here' : 'is not true';
    assert.deepEqual(claims, [true], `row ${error.row}: ${error.message} (${flaw})`);
  }
}

function pathOf({ form }: DefinitionJob, { names: path, tree, parentIdOf }: CategoryRow): string | null {
  const isByPath = parentIdOf === undefined || form === 'csv' || form === 'xlsx';
  if (!isByPath) return parentIdOf === '?' ? null : `${parentIdOf}->${path.at(-1)}`;
  return tree === 'PRIMARY' ? `PRIMARY->${path.join('->')}` : path.join('->');
}

function aboutOf({ abouts, error }: Claimed): string {
  return abouts.get(error.row) ?? '';
}

function isTwin({ abouts, error }: Claimed, row: number, place: string | undefined): boolean {
  const one = abouts.get(row) ?? null;
  const isOrdered = place === 'later' ? row > error.row : row < error.row;
  return isOrdered && one !== null && keyOf(one) === keyOf(abouts.get(error.row) ?? '');
}

function isThere({ categories }: Seen, path: string): boolean {
  return categories.has(path);
}

function isSame(about: string | null, path: string): boolean {
  return about === path;
}

function keyOf(name: string): string {
  return name.trim().toLowerCase();
}

function attributeNamed({ attributes }: Seen, name: string) {
  return [...attributes].find(([one]) => keyOf(one) === keyOf(name))?.[1];
}

// What the jobs leave behind: the status of items follows what their category makes mandatory.

async function assertStatuses(world: World, shop: Shop): Promise<void> {
  const open = async () =>
    (await shop.ask('GET', '/jobs/product?type=ITEM_STATUS_UPDATE&limit=100')).data.filter(
      ({ completedAt }: { completedAt: string | null }) => completedAt === null,
    );
  await until('no status job is open', async () => (await open()).length === 0, WITHIN_MS);
  const { items } = await look(world, shop);
  const { data } = await shop.ask('GET', '/api-category/v1/category?limit=100');
  for (const { sku, status, category, values } of items) {
    const found = data.find(
      ({ breadcrumbs }: { breadcrumbs: { name: string }[] }) =>
        breadcrumbs.map(({ name }) => name).join('->') === category,
    );
    const needed: { name: string }[] = found.attributes.filter(({ required }: { required: boolean }) => required);
    const isComplete = needed.every(({ name }) => values[name] !== undefined);
    assert.equal(status, isComplete ? 'L' : 'D', `the status of ${sku}`);
  }
  const { data: done } = await shop.ask('GET', '/jobs/product?type=ITEM_STATUS_UPDATE&limit=100');
  for (const { errorSummary, progressTracker } of done) {
    assert.deepEqual([errorSummary, progressTracker.errorCount], [[], 0], 'a status job fails for no category');
  }
}

/** Checks what the errors of a job of items claim against the catalog afterwards. A message that claims nothing known fails. */
import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import Papa from 'papaparse';
import type { Item, Outcome, RowError, Shop } from '../http/shop.js';
import type { CatalogOracle, OracleRow } from './catalog-oracle.js';
import { type Deletion, type ItemJob, rowNumber } from './item-jobs.js';
import { cellsOf } from './written-workbook.js';

/** What a claim is judged by. */
interface Seen {
  readonly job: ItemJob;
  readonly before: CatalogOracle;
  readonly items: ReadonlyMap<string, Item>;
  readonly failed: ReadonlyMap<number, RowError>;
  /** Number of the row → the row. */
  readonly rows: ReadonlyMap<number, OracleRow>;
  /** Nothing was written: what is said about rows that were not applied is what would have been. */
  readonly isHypothetical: boolean;
  readonly error: RowError;
  readonly row: OracleRow;
}

/** The messages of rows of items: each with what must be true when it is said. */
const CLAIMS: readonly (readonly [pattern: RegExp, isTrue: (seen: Seen, ...parts: string[]) => boolean])[] = [
  [/^the row has no SKU/, ({ row }) => row.sku === ''],
  [/^Row \d+ has (\d+) cells, but the header has (\d+)\. /, (_, cells, header) => Number(cells) < Number(header)],
  [/^an item with this SKU exists/, ({ row, before, items }) => before.items.has(row.sku) && items.has(row.sku)],
  [/^there is no item with this SKU/, ({ row, before }) => !before.items.has(row.sku)],
  [
    /^row (\d+) has the same key and comes (later|first), and the (last|first) row with a key wins/,
    (seen, number = '', place) => isOrdered(seen, number, place) && !seen.failed.has(Number(number)),
  ],
  [
    /^row (\d+) has the same key and comes (later|first); it failed, so nothing of either was applied; correct row \1,/,
    (seen, number = '', place) =>
      isOrdered(seen, number, place) && seen.failed.has(Number(number)) && isUntouched(seen, seen.row.sku),
  ],
  [/^there is no category "(.*)" in the primary tree: /, ({ before }, path = '') => !(path in before.rules.categories)],
  [
    /^there is no category "(.*)" in an alternate tree: /,
    ({ row, before }, path = '') => row.alternates?.includes(path) === true && !(path in before.rules.alternates),
  ],
  [
    /^items belong to categories without subcategories; "(.*)" has some: /,
    ({ row, before }, path = '') => row.alternates?.includes(path) === true && before.rules.alternates[path] === true,
  ],
  [/^a new item needs a category/, ({ row, before }) => row.category === undefined && !before.items.has(row.sku)],
  [
    /^"(.*)" is not assigned to the category "(.*)"; /,
    ({ row, before, items }, name = '', path = '') => {
      const assigned = before.rules.categories[withoutRoot(path)] ?? [];
      return !assigned.includes(name) && path === withRoot(row.category ?? items.get(row.sku)?.nodeName);
    },
  ],
  [
    /^"(.*)" is required and has no value/,
    ({ row, before }, name = '') => before.rules.required.includes(name) && typeof row.values[name] !== 'string',
  ],
  [/"cheap"/, ({ row, error }) => error.column === 'Price' && row.values.Price === 'cheap'],
  [
    /^"Gtin" must be unique, and the item "(.*)" has the value "(.*)" already; give another one/,
    (seen, sku = '', value = '') => sku !== seen.row.sku && mayHave(seen, sku, value),
  ],
  [
    /^"Gtin" must be unique, and row (\d+) \("(.*)"\) has the value "(.*)" already; give another one/,
    (seen, number = '', sku = '', value = '') =>
      seen.rows.get(Number(number))?.sku === sku && !seen.failed.has(Number(number)) && mayHave(seen, sku, value),
  ],
  [/^the parent "(.*)" is the item itself/, ({ row }, sku) => row.parentSku === sku && row.sku === sku],
  [
    /^the parent "(.*)" is to be a variant itself/,
    (seen, sku = '') =>
      !mayExist(seen, sku) && [...seen.rows.values()].some((row) => row.sku === sku && !!row.parentSku),
  ],
  [/^the parent "(.*)" does not exist, neither in the catalog nor among/, (seen, sku = '') => !mayExist(seen, sku)],
  [/^the parent "(.*)" is a variant itself/, (seen, sku = '') => may(seen, sku, ({ parentSku }) => parentSku !== null)],
  [/^the parent "(.*)" is a bundle, and/, (seen, sku = '') => may(seen, sku, ({ type }) => type === 'BUNDLE')],
  [
    /^"(.*)" has variants, and so cannot be one itself/,
    ({ items, isHypothetical, row }, sku) =>
      row.sku === sku && (isHypothetical || [...items.values()].some(({ parentSku }) => parentSku === sku)),
  ],
  [
    /^there is no "(.*)", neither in the catalog nor among the rows of this input that were applied/,
    (seen, sku = '') => holds(seen.row, sku) && !mayExist(seen, sku),
  ],
  [
    /^"(.*)", or a bundle in it, holds this bundle in turn, so that none of them can be created first/,
    (seen, sku = '') => holds(seen.row, sku) && !mayExist(seen, sku) && leadsTo(seen, sku, new Set()),
  ],
  [
    /^the bundle ".*" would hold itself: (.*); leave one of them out/,
    (seen, path = '') => {
      const [first = '', second = '', ...rest] = path.split(' holds ').map((quoted) => quoted.slice(1, -1));
      const isWanted = first === seen.row.sku && holds(seen.row, second);
      const below = [second, ...rest];
      const isStored = below.every((sku, nth) => {
        const next = below[nth + 1];
        return next === undefined || may(seen, sku, ({ bundleItems }) => bundleItems?.some((one) => one.sku === next));
      });
      return isWanted && below.at(-1) === first && isStored;
    },
  ],
  [
    /^"(.*)" is an item, and cannot become a bundle/,
    (seen, sku = '') => sku === seen.row.sku && may(seen, sku, ({ type }) => type === 'ITEM'),
  ],
  [
    /^"(.*)" is a bundle, (?:and cannot become an item|which cannot be a variant of another item)/,
    (seen, sku = '') => sku === seen.row.sku && may(seen, sku, ({ type }) => type === 'BUNDLE'),
  ],
  [/^a bundle cannot be a variant of another item/, ({ row }) => typeof row.parentSku === 'string'],
  [/^an ITEM cannot hold others/, ({ row }) => row.type === 'ITEM' && row.bundleItems !== undefined],
];

/** At the end of a message: the row that would have helped has failed too. */
const FAILED_TOO = /; row (\d+), for "(.*)", failed too: correct it first$/;

/** @param before the catalog as it was before the job */
export async function assertClaimsHold(
  shop: Shop,
  job: ItemJob,
  outcome: Outcome,
  before: CatalogOracle,
): Promise<void> {
  const items = new Map((await shop.items()).map((item) => [item.sku, item]));
  const failed = new Map(outcome.errors.map((error) => [error.row, error]));
  const rows = new Map(job.rows.map((row, index) => [rowNumber(job, index), row]));
  const isHypothetical = job.validateOnly || !outcome.status.startsWith('COMPLETED');
  for (const error of outcome.errors) {
    const row = rows.get(error.row);
    assert.ok(row !== undefined, `there is no row ${error.row}`);
    assert.ok(error.key === null || error.key === row.sku, `row ${error.row} has not the key ${error.key}`);
    const seen = { job, before, items, failed, rows, isHypothetical, error, row };
    const said = `row ${error.row}: ${error.message}`;
    const [, number, sku] = FAILED_TOO.exec(error.message) ?? [];
    if (number !== undefined) {
      assert.ok(failed.has(Number(number)), `${said}: row ${number} has not failed`);
      assert.equal(rows.get(Number(number))?.sku, sku, said);
    }
    const claims = CLAIMS.flatMap(([pattern, isTrue]) => {
      const match = pattern.exec(error.message.replace(FAILED_TOO, ''));
      return match === null ? [] : [isTrue(seen, ...match.slice(1))];
    });
    assert.deepEqual(claims, [true], `${said} (${claims.length === 0 ? 'is not known here' : 'is not true'})`);
  }
  await assertErrorFile(shop, job, outcome, failed);
}

/** What the rows of a deletion may say. */
const DELETION_CLAIMS: readonly (readonly [
  pattern: RegExp,
  isTrue: (seen: SeenDeletion, ...parts: string[]) => boolean,
])[] = [
  [/^the SKU is empty/, ({ sku }) => sku === ''],
  [
    /^there is no item with this SKU(?: that channel (\d+) shows)?; /,
    ({ sku, before, job }, channel) =>
      !before.isSeen(sku, job.channel) &&
      (channel === undefined ? !before.items.has(sku) : Number(channel) === job.channel),
  ],
  [
    /^"(.*)" is a variant of it, and is not deleted/,
    ({ sku, items }, variant = '') => items.get(variant)?.parentSku === sku,
  ],
  [
    /^the bundle "(.*)" holds it, and is not deleted/,
    ({ sku, items }, bundle = '') => items.get(bundle)?.bundleItems?.some((one) => one.sku === sku) === true,
  ],
  [
    /^row (\d+) has the same key and comes first, and the first row with a key wins/,
    ({ sku, job, failed, items, isHypothetical }, number) =>
      job.skus[Number(number) - 1] === sku && !failed.has(Number(number)) && (isHypothetical || !items.has(sku)),
  ],
  [
    /^row (\d+) has the same key and comes first; it failed, so nothing of either was applied/,
    ({ sku, job, failed, items, before }, number) =>
      job.skus[Number(number) - 1] === sku && failed.has(Number(number)) && items.has(sku) === before.items.has(sku),
  ],
];

interface SeenDeletion {
  readonly sku: string;
  readonly job: Deletion;
  readonly before: CatalogOracle;
  readonly items: ReadonlyMap<string, Item>;
  readonly failed: ReadonlySet<number>;
  readonly isHypothetical: boolean;
}

/** @param before the catalog as it was before the deletion */
export async function assertDeletionClaimsHold(
  shop: Shop,
  job: Deletion,
  outcome: Outcome,
  before: CatalogOracle,
): Promise<void> {
  const items = new Map((await shop.items()).map((item) => [item.sku, item]));
  const failed = new Set(outcome.errors.map(({ row }) => row));
  const isHypothetical = job.validateOnly || !outcome.status.startsWith('COMPLETED');
  for (const { row, key, message } of outcome.errors) {
    const sku = job.skus[row - 1] ?? assert.fail(`there is no row ${row}`);
    assert.equal(key ?? '', sku);
    const seen = { sku, job, before, items, failed, isHypothetical };
    const claims = DELETION_CLAIMS.flatMap(([pattern, isTrue]) => {
      const match = pattern.exec(message);
      return match === null ? [] : [isTrue(seen, ...match.slice(1))];
    });
    assert.deepEqual(
      claims,
      [true],
      `row ${row}: ${message} (${claims.length === 0 ? 'is not known' : 'is not true'})`,
    );
  }
}

/** The error file has the failed rows, but for those whose key another row has brought into the catalog. */
async function assertErrorFile(
  shop: Shop,
  job: ItemJob,
  outcome: Outcome,
  failed: ReadonlyMap<number, RowError>,
): Promise<void> {
  if (job.form === 'bulk') return assert.equal(outcome.errorFile, null);
  const isSuperseded = ({ code, message }: RowError): boolean =>
    code === 'SKU_DUPLICATE_IN_REQUEST' && !failed.has(Number(/^row (\d+)/.exec(message)?.[1]));
  const due = [...failed.values()].filter((error) => !isSuperseded(error)).map(({ row }) => row);
  const listed = outcome.errorFile === null ? [] : await listedRows(shop, job, outcome.errorFile);
  assert.deepEqual(
    listed.map(({ row }) => row),
    due,
  );
  for (const { row, sku, codes } of listed) {
    assert.equal(sku, job.rows.find((_, index) => rowNumber(job, index) === row)?.sku);
    const errors = outcome.errors.filter((error) => error.row === row);
    assert.deepEqual(
      codes.split('; '),
      errors.map(({ code }) => code),
    );
  }
}

interface Listed {
  readonly row: number;
  readonly sku: string;
  readonly codes: string;
}

async function listedRows(shop: Shop, job: ItemJob, id: string): Promise<Listed[]> {
  const { bytes } = await shop.download(id);
  const content = job.form.endsWith('.gz') ? gunzipSync(bytes) : bytes;
  if (job.form.startsWith('json')) {
    const elements = job.form.startsWith('jsonl')
      ? content
          .toString()
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : JSON.parse(content.toString());
    return elements.map((element: Record<string, never>) => ({
      row: element._row,
      sku: element.sku,
      codes: element._code,
    }));
  }
  const table =
    job.form === 'xlsx'
      ? await cellsOf(content)
      : Papa.parse<string[]>(
          content
            .toString()
            .replace(/^\ufeff/, '')
            .trimEnd(),
        ).data;
  const [header = [], ...lines] = table;
  const cell = (line: readonly string[], name: string): string => line[header.indexOf(name)] ?? '';
  return lines.map((line) => ({
    row: Number(cell(line, '_row').replace('n:', '')),
    sku: cell(line, 'SKU'),
    codes: cell(line, '_code'),
  }));
}

function withRoot(path: string | null | undefined): string {
  return `PRIMARY->${withoutRoot(path ?? '')}`;
}

function withoutRoot(path: string): string {
  return path.replace(/^PRIMARY->/, '');
}

function isOrdered({ rows, row, error }: Seen, number: string, place: string | undefined): boolean {
  const other = Number(number);
  return rows.get(other)?.sku === row.sku && (place === 'later' ? other > error.row : other < error.row);
}

/** Whether no row has changed the item. */
function isUntouched({ before, items }: Seen, sku: string): boolean {
  return before.items.has(sku) === items.has(sku);
}

function holds({ bundleItems }: OracleRow, sku: string): boolean {
  return bundleItems?.some((one) => one.sku === sku) === true;
}

/** Whether an item exists, or would if the job had been applied. */
function mayExist(seen: Seen, sku: string): boolean {
  return may(seen, sku, () => true);
}

function mayHave(seen: Seen, sku: string, value: string): boolean {
  return may(seen, sku, ({ attributes }) => attributes.Gtin === value);
}

/** Whether something is true of an item or, of a job that wrote nothing, may have been because of a row. */
function may(seen: Seen, sku: string, isTrue: (item: Item) => boolean | undefined): boolean {
  const item = seen.items.get(sku);
  if (item !== undefined && isTrue(item) === true) return true;
  return seen.isHypothetical && [...seen.rows].some(([number, row]) => row.sku === sku && !seen.failed.has(number));
}

/** Whether an item that does not exist would hold the row's bundle, by the rows that failed. */
function leadsTo(seen: Seen, sku: string, tried: Set<string>): boolean {
  if (sku === seen.row.sku) return true;
  if (tried.has(sku)) return false;
  tried.add(sku);
  const [, row] = [...seen.rows].find(([number, one]) => one.sku === sku && seen.failed.has(number)) ?? [];
  return row?.bundleItems?.some((one) => leadsTo(seen, one.sku, tried)) === true;
}

/** A reference model of a site whose jobs run one after the other: what each job must report, and leave behind. */
import { pick } from '../support/models/random.js';

export interface ChaosRow {
  readonly sku: string;
  readonly nodeName: string;
  /** Absent: left as it is. */
  readonly title?: string;
  readonly colour?: string;
  /** A text is no number, and fails its row. */
  readonly stock?: number | string;
}

type ImportForm = 'request' | 'csv' | 'jsonl' | 'xlsx';

interface ImportWork {
  readonly kind: 'import';
  readonly form: ImportForm;
  readonly mode: 'insert' | 'upsert' | 'update';
  readonly onError: 'skip' | 'abort';
  readonly validateOnly: boolean;
  readonly rows: readonly ChaosRow[];
}

/** One job, as a client asks for it. */
export type Work =
  | ImportWork
  | { readonly kind: 'delete'; readonly skus: readonly string[] }
  | { readonly kind: 'categories'; readonly names: readonly string[] };

/** The values of an item, as text. */
export interface ModelItem {
  readonly title?: string;
  readonly colour?: string;
  readonly stock?: string;
}
export type SiteState = ReadonlyMap<string, ModelItem>;

interface Counts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
}

/** What must come of a job. */
export interface Expected {
  readonly status: string;
  readonly total: number;
  readonly counts: Counts;
  /** The items of the site after it. */
  readonly after: SiteState;
  /** Which item events it emits: `ITEM_CREATED sku`, sorted. */
  readonly events: readonly string[];
}

export const GOOD_CATEGORY = 'Disk';
const BAD_CATEGORY = 'Nowhere';

/** @param before the items of the site before the job */
export function expectOf(work: Work, before: SiteState, categories: ReadonlySet<string>): Expected {
  switch (work.kind) {
    case 'import':
      return expectImport(work, before);
    case 'delete':
      return expectDelete(work.skus, before);
    case 'categories':
      return expectCategories(work.names, before, categories);
  }
}

function expectImport({ rows, mode, onError, validateOnly }: ImportWork, before: SiteState): Expected {
  const after = new Map(before);
  const events: string[] = [];
  const counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  // Of several rows with one key, an insert applies the first, everything else the last.
  const ordered = [...rows.entries()];
  const winners = new Map((mode === 'insert' ? ordered.reverse() : ordered).map(([index, { sku }]) => [sku, index]));
  for (const [index, row] of rows.entries()) {
    const old = before.get(row.sku);
    const isBad = row.nodeName === BAD_CATEGORY || Number.isNaN(Number(row.stock ?? 0));
    const mayNot = mode === 'insert' ? old !== undefined : mode === 'update' && old === undefined;
    if (winners.get(row.sku) !== index || isBad || mayNot) {
      counts.failed++;
      continue;
    }
    const merged = { ...old, ...valuesOf(row) };
    if (old === undefined) counts.created++;
    else if (sameItem(old, merged)) counts.unchanged++;
    else counts.updated++;
    if (old === undefined) events.push(`ITEM_CREATED ${row.sku}`);
    else if (!sameItem(old, merged)) events.push(`ITEM_UPDATED ${row.sku}`);
    after.set(row.sku, merged);
  }
  const total = rows.length;
  if (validateOnly) return { status: 'COMPLETED', total, counts, after: before, events: [] };
  if (onError === 'abort' && counts.failed > 0) {
    const none = { created: 0, updated: 0, unchanged: 0, failed: counts.failed };
    return { status: 'REJECTED', total, counts: none, after: before, events: [] };
  }
  return { status: endOf(counts), total, counts, after, events: events.sort() };
}

function expectDelete(skus: readonly string[], before: SiteState): Expected {
  const after = new Map(before);
  const deleted = skus.filter((sku) => after.delete(sku));
  const counts = { created: 0, updated: deleted.length, unchanged: 0, failed: skus.length - deleted.length };
  const events = deleted.map((sku) => `ITEM_DELETED ${sku}`).sort();
  return { status: endOf(counts), total: skus.length, counts, after, events };
}

function expectCategories(names: readonly string[], before: SiteState, known: ReadonlySet<string>): Expected {
  const created = names.filter((name) => !known.has(name)).length;
  const counts = { created, updated: 0, unchanged: names.length - created, failed: 0 };
  return { status: 'COMPLETED', total: names.length, counts, after: before, events: [] };
}

function endOf({ failed }: Counts): string {
  return failed > 0 ? 'COMPLETED_PARTIALLY' : 'COMPLETED';
}

function valuesOf({ title, colour, stock }: ChaosRow): ModelItem {
  return {
    ...(title === undefined ? {} : { title }),
    ...(colour === undefined ? {} : { colour }),
    ...(stock === undefined ? {} : { stock: String(stock) }),
  };
}

export function sameItem(one: ModelItem | undefined, other: ModelItem | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.title === other.title && one.colour === other.colour && one.stock === other.stock;
}

// Random work

const SKUS = 500;
/** Rows of a job at most: files have dozens of chunks, so that a fault finds some of them under way. */
const ROWS = { request: 100, file: 300 } as const;
const COLOURS = ['red', 'green', 'blue'];
const CATEGORIES = 40;
const FORMS: readonly ImportForm[] = ['request', 'request', 'csv', 'csv', 'jsonl', 'xlsx'];

/**
 * @param number of the job in its site, which its rows name, so that an item says which job wrote it
 * @param previous the job before it: an insert after an insert would run at the same time, and either may win a key
 */
export function makeWork(random: () => number, number: number, previous: Work | undefined): Work {
  const isAfterInsert = previous?.kind === 'import' && previous.mode === 'insert';
  const luck = random();
  const some = (most: number) => 1 + Math.floor(random() * most);
  if (luck < 0.1) return { kind: 'delete', skus: distinct(some(20), () => skuOf(random)) };
  if (luck < 0.18) {
    return {
      kind: 'categories',
      names: distinct(some(6), () => `Category ${Math.floor(random() * CATEGORIES)}`),
    };
  }
  const form = pick(random, FORMS);
  const isAtomic = random() < 0.25;
  return {
    kind: 'import',
    form,
    mode: pick(random, ['upsert', 'upsert', 'upsert', 'update', isAfterInsert ? 'update' : 'insert']),
    onError: isAtomic ? 'abort' : 'skip',
    validateOnly: random() < 0.08,
    // An atomic job with a bad row among many writes nothing: half of them have none.
    rows: makeRows(
      random,
      number,
      some(form === 'request' ? ROWS.request : ROWS.file),
      isAtomic && random() < 0.5 ? 0 : 0.02,
    ),
  };
}

/** Rows that are inserted beside those of other jobs: any of them may come first. */
export function makeInsert(random: () => number, number: number): Work {
  const form = pick(random, FORMS);
  const most = form === 'request' ? ROWS.request : ROWS.file;
  const rows = distinct(10 + Math.floor(random() * most), () => `n${Math.floor(random() * 20_000)}`).map((sku) => ({
    ...{ sku, nodeName: GOOD_CATEGORY, title: `job ${number}`, stock: number },
  }));
  return { kind: 'import', form, mode: 'insert', onError: 'skip', validateOnly: false, rows };
}

/** @param risk of each row to be wrong; with 0, no key comes twice either */
function makeRows(random: () => number, number: number, count: number, risk: number): ChaosRow[] {
  const skus = Array.from({ length: count }, () => skuOf(random));
  return (risk === 0 ? [...new Set(skus)] : skus).map((sku) => {
    const stock = random() < risk ? 'many' : Math.floor(random() * 90);
    return {
      sku,
      nodeName: random() < risk ? BAD_CATEGORY : GOOD_CATEGORY,
      ...(random() < 0.8 ? { title: random() < 0.3 ? 'always the same' : `job ${number}` } : {}),
      ...(random() < 0.6 ? { colour: pick(random, COLOURS) } : {}),
      ...(random() < 0.6 || stock === 'many' ? { stock } : {}),
    };
  });
}

function skuOf(random: () => number): string {
  return `s${String(Math.floor(random() * SKUS)).padStart(3, '0')}`;
}

function distinct(count: number, make: () => string): string[] {
  return [...new Set(Array.from({ length: count }, make))];
}

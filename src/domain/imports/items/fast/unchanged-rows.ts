/** Finds unchanged rows, which were applied before exactly as they are, by their keys and hashes. */
import { yieldToEventLoop } from '../../../../platform/time-slice.js';
import { MAX_SKU_CHARACTERS, normalizeSku } from '../../../catalog/items/item-key.js';
import { isLongerThan, isStorable } from '../../../kernel/characters.js';
import type { RowsOfSite } from '../row-reader.js';
import type { ItemNumbers, UnchangedItems } from '../unchanged-items.js';

/** How many rows are sampled: when few of them are unchanged, the rest of the chunk is not skimmed. */
const SAMPLE = 200;
/** How many rows are skimmed before the thread may yield to the event loop. */
const ROWS_PER_YIELD = 200;

/** The keys and hashes of rows, and where the rows are in the chunk's bytes. */
export class SkimmedRows {
  readonly skus: string[] = [];
  readonly hashes: number[] = [];
  readonly starts: number[] = [];
  readonly ends: number[] = [];

  /** Adds a row, unless no item can have its key, or its key has lines. @param text the key as the row writes it */
  add(text: string, hash: number, start: number, end: number): void {
    const sku = normalizeSku(text);
    if (sku === '' || isLongerThan(sku, MAX_SKU_CHARACTERS) || !isStorable(sku) || sku.includes('\n')) return;
    this.skus.push(sku);
    this.hashes.push(hash);
    this.starts.push(start);
    this.ends.push(end);
  }
}

/** A reader that can read the keys and hashes of rows first. */
export interface Skimmer {
  /** Skims up to `count` rows, without those in `passedOver`. @returns whether there may be more */
  skimSome(skimmed: SkimmedRows, count: number, passedOver: ReadonlyMap<number, number>): boolean;
}

/** The unchanged rows of a chunk, in order. */
export class UnchangedRows {
  static readonly NONE = new UnchangedRows();
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #skus: string[] = [];
  readonly #numbers: ItemNumbers[] = [];
  #next = 0;

  add(sku: string, start: number, end: number): void {
    this.#skus.push(sku);
    this.#starts.push(start);
    this.#ends.push(end);
  }

  /** @param numbers those of the items of some of the rows */
  addNumbers(numbers: ItemNumbers): void {
    this.#numbers.push(numbers);
  }

  get count(): number {
    return this.#starts.length;
  }

  items(): UnchangedItems {
    const joined = (of: keyof ItemNumbers) => this.#numbers.map((numbers) => numbers[of]).join(',');
    const numbers = this.#numbers.length === 0 ? null : { words: joined('words'), masks: joined('masks') };
    return { skus: this.#skus, numbers };
  }

  /**
   * To be called for each row in order.
   * @returns the end of the unchanged row at `start`; -1 when it is not unchanged
   */
  endOf(start: number): number {
    if (this.#starts[this.#next] !== start) return -1;
    return this.#ends[this.#next++] as number;
  }
}

/** Finds the unchanged rows of a chunk, if enough rows of a sample are unchanged. It advances the skimmer. */
export async function findUnchangedRows(skimmer: Skimmer, site: RowsOfSite): Promise<UnchangedRows> {
  const { duplicates } = site;
  const unchanged = new UnchangedRows();
  const sample = new SkimmedRows();
  const more = skimmer.skimSome(sample, SAMPLE, duplicates);
  await addUnchanged(site, sample, unchanged);
  if (!more || unchanged.count * 2 < sample.skus.length) return unchanged;
  const rest = new SkimmedRows();
  while (skimmer.skimSome(rest, ROWS_PER_YIELD, duplicates)) await yieldToEventLoop();
  await addUnchanged(site, rest, unchanged);
  return unchanged;
}

/** Looks the rows up by their keys and hashes; with the numbers of their items where they are wanted. */
async function addUnchanged(
  { db, siteId, numbered }: RowsOfSite,
  skimmed: SkimmedRows,
  unchanged: UnchangedRows,
): Promise<void> {
  const { skus, hashes, starts, ends } = skimmed;
  if (skus.length === 0) return;
  const bindings = { skus: skus.join('\n'), hashes: `{${hashes.join()}}`, siteId };
  const { rows } = await db.raw<{ rows: { list: string | null }[] }>(numbered ? NUMBERS : OTHERS, bindings);
  // One text, because parsing it as JSON takes a fraction of the time that the driver takes for an array, or for a row each.
  const listed: number[] = JSON.parse(`[${rows[0]?.list ?? ''}]`);
  const others = numbered ? undefined : new Set(listed);
  for (let index = 0; index < skus.length; index++) {
    if (others === undefined ? listed[index] === 0 : others.has(index + 1)) continue;
    unchanged.add(skus[index] as string, starts[index] as number, ends[index] as number);
  }
  const numbers = numbered ? listed.filter((number) => number !== 0) : [];
  if (numbers.length > 0) unchanged.addNumbers(wordsOf(numbers));
}

/** Here, because it takes Postgres a tenth of the look-up to group them by words. */
function wordsOf(numbers: readonly number[]): ItemNumbers {
  const words: number[] = [];
  const masks: number[] = [];
  let last = -1;
  for (const number of new Float64Array(numbers).sort()) {
    const word = Math.floor(number / 32);
    if (word !== words[last]) {
      last++;
      words.push(word);
      masks.push(0);
    }
    masks[last] = (masks[last] as number) | (1 << (number & 31));
  }
  return { words: words.join(), masks: masks.join() };
}

/** Lists, because Postgres takes a sixth of the look-up longer to read the same as JSON. */
const LOOKED_UP = `
  FROM ROWS FROM (string_to_table(:skus, chr(10)), unnest(:hashes::bigint[])) WITH ORDINALITY AS wanted (sku, hash, nr)
  LEFT JOIN LATERAL (
    SELECT source_hash, row_no FROM item WHERE site_id = :siteId AND sku = wanted.sku COLLATE "C" LIMIT 1) AS item ON true`;

/** The places of the rows that are not unchanged, because these are usually few. */
const OTHERS = `
  SELECT string_agg(wanted.nr::text, ',') AS list ${LOOKED_UP}
  WHERE item.source_hash IS DISTINCT FROM wanted.hash`;

/** Of each row the number of its item, in the order of the rows; 0: it is not unchanged. */
const NUMBERS = `
  SELECT string_agg((CASE WHEN item.source_hash = wanted.hash THEN item.row_no ELSE 0 END)::text, ',' ORDER BY wanted.nr) AS list
  ${LOOKED_UP}`;

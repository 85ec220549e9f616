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

  /** Adds a row, unless no item can have its key. @param text the key as the row writes it */
  add(text: string, hash: number, start: number, end: number): void {
    const sku = normalizeSku(text);
    if (sku === '' || isLongerThan(sku, MAX_SKU_CHARACTERS) || !isStorable(sku)) return;
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

/** The query returns the rows that are not unchanged, because these are usually few; and the numbers of the others where they are wanted. */
async function addUnchanged(
  { db, siteId, numbered }: RowsOfSite,
  skimmed: SkimmedRows,
  unchanged: UnchangedRows,
): Promise<void> {
  const { skus, hashes, starts, ends } = skimmed;
  if (skus.length === 0) return;
  const { rows } = await db.raw<{ rows: Looked[] }>(numbered ? OTHERS_AND_NUMBERS : OTHERS, {
    ...{ skus: JSON.stringify(skus), hashes: JSON.stringify(hashes), siteId },
  });
  const others = new Set(rows.map(({ nr }) => nr - 1));
  for (let index = 0; index < skus.length; index++) {
    if (!others.has(index)) unchanged.add(skus[index] as string, starts[index] as number, ends[index] as number);
  }
  for (const { words, masks } of rows) {
    if (typeof words === 'string' && typeof masks === 'string') unchanged.addNumbers({ words, masks });
  }
}

/** A row that is not unchanged; or, with the number 0, the numbers of the items of those that are. */
interface Looked extends Partial<Record<keyof ItemNumbers, string | null>> {
  readonly nr: number;
}

const LOOKED_UP = `
  ROWS FROM (jsonb_array_elements_text(:skus::jsonb), jsonb_array_elements_text(:hashes::jsonb)) WITH ORDINALITY
    AS wanted (sku, hash, nr)
  LEFT JOIN LATERAL (
    SELECT source_hash, row_no FROM item WHERE site_id = :siteId AND sku = wanted.sku COLLATE "C" LIMIT 1) AS item ON true`;

const OTHERS = `
  SELECT wanted.nr::integer AS nr FROM ${LOOKED_UP}
  WHERE item.source_hash IS DISTINCT FROM wanted.hash::bigint`;

const OTHERS_AND_NUMBERS = `
  WITH looked AS MATERIALIZED (
    SELECT wanted.nr::integer AS nr, item.row_no, item.source_hash IS DISTINCT FROM wanted.hash::bigint AS differs FROM ${LOOKED_UP}
  )
  SELECT nr, NULL AS words, NULL AS masks FROM looked WHERE differs
  UNION ALL
  SELECT 0, string_agg(word::text, ','), string_agg(mask::text, ',') FROM (
    SELECT row_no >> 5 AS word, bit_or(1 << (row_no & 31)::integer) AS mask FROM looked WHERE NOT differs GROUP BY word) AS numbers`;

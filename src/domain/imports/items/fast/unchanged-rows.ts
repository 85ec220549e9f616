/** Finds unchanged rows, which were applied before exactly as they are, by their keys and hashes. */
import { yieldToEventLoop } from '../../../../platform/time-slice.js';
import { MAX_SKU_CHARACTERS, normalizeSku } from '../../../catalog/items/item-key.js';
import { isLongerThan, isStorable } from '../../../kernel/characters.js';
import { joinedIntegers } from '../../../kernel/written-integers.js';
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

/** Rows that were looked up together. */
interface LookedUp {
  readonly skimmed: SkimmedRows;
  /** 1 for each row that is not unchanged; null: all of them are unchanged. */
  readonly others: Uint8Array | null;
}

/** The unchanged rows of a chunk, in order. */
export class UnchangedRows {
  static readonly NONE = new UnchangedRows();
  readonly #parts: LookedUp[] = [];
  readonly #numbers: ItemNumbers[] = [];
  #count = 0;
  #part = 0;
  /** The next row of the part. */
  #next = 0;

  /** @param othersAt the places of the rows that are not unchanged */
  add(skimmed: SkimmedRows, othersAt: readonly number[]): void {
    let others: Uint8Array | null = null;
    if (othersAt.length > 0) {
      others = new Uint8Array(skimmed.skus.length);
      for (const place of othersAt) others[place] = 1;
    }
    this.#parts.push({ skimmed, others });
    this.#count += skimmed.skus.length - othersAt.length;
  }

  /** @param numbers those of the items of some of the rows */
  addNumbers(numbers: ItemNumbers): void {
    this.#numbers.push(numbers);
  }

  get count(): number {
    return this.#count;
  }

  items(): UnchangedItems {
    const joined = (of: keyof ItemNumbers) => this.#numbers.map((numbers) => numbers[of]).join(',');
    const numbers = this.#numbers.length === 0 ? null : { words: joined('words'), masks: joined('masks') };
    return { skus: { [Symbol.iterator]: () => this.#skus() }, numbers };
  }

  *#skus(): Generator<string> {
    for (const { skimmed, others } of this.#parts) {
      for (const [place, sku] of skimmed.skus.entries()) if (others === null || others[place] === 0) yield sku;
    }
  }

  /**
   * To be called for each row in order.
   * @returns the end of the unchanged row at `start`; -1 when it is not unchanged
   */
  endOf(start: number): number {
    for (let part = this.#parts[this.#part]; part !== undefined; part = this.#parts[++this.#part]) {
      const { starts, ends } = part.skimmed;
      const { others } = part;
      if (others !== null) while (others[this.#next] === 1) this.#next++;
      if (this.#next < starts.length) return starts[this.#next] === start ? (ends[this.#next++] as number) : -1;
      this.#next = 0;
    }
    return -1;
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
  const { skus, hashes } = skimmed;
  if (skus.length === 0) return;
  const bindings = { skus: skus.join('\n'), hashes: `{${joinedIntegers(hashes)}}`, siteId };
  const { rows } = await db.raw<{ rows: { list: string | null }[] }>(numbered ? NUMBERS : OTHERS, bindings);
  // One text, because parsing it as JSON takes a fraction of the time that the driver takes for an array, or for a row each.
  const listed: number[] = JSON.parse(`[${rows[0]?.list ?? ''}]`);
  if (!numbered) return unchanged.add(skimmed, listed);
  const others: number[] = [];
  listed.forEach((number, place) => {
    if (number === 0) others.push(place);
  });
  unchanged.add(skimmed, others);
  const numbers = others.length === 0 ? listed : listed.filter((number) => number !== 0);
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
  SELECT string_agg((wanted.nr - 1)::text, ',') AS list ${LOOKED_UP}
  WHERE item.source_hash IS DISTINCT FROM wanted.hash`;

/** Of each row the number of its item, in the order of the rows; 0: it is not unchanged. */
const NUMBERS = `
  SELECT string_agg((CASE WHEN item.source_hash = wanted.hash THEN item.row_no ELSE 0 END)::text, ',' ORDER BY wanted.nr) AS list
  ${LOOKED_UP}`;

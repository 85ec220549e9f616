/** Keeps the values of unique attributes unique: when two rows set the same value, the earlier row has it. */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { RowProblem } from '../../../kernel/row-problem.js';
import { quoted } from '../../../kernel/value-problem.js';
import type { ApplyItems } from '../item-batch.js';
import type { ItemDocument } from '../item-document.js';
import type { ItemRules } from '../item-rules.js';
import type { ItemState } from './item-state.js';
import {
  keyOf,
  loadAwaited,
  loadHeld,
  loadOwners,
  type Owner,
  type Reservation,
  storeAwaited,
  storeReservations,
} from './stored-reservations.js';

/** An item about to be written, and the row it comes from. */
interface Holder {
  readonly row: number;
  readonly item: ItemState;
}

/** A row and the values that it wants: those of its item or, if that is not known yet, those that the row sets. */
export interface WantingRow {
  readonly row: number;
  readonly sku: string;
  readonly values: ItemState | ItemDocument;
}

/** A value that a row wants and that it cannot have at this moment. */
interface TakenValue {
  readonly problem: RowProblem;
  readonly key: string;
  readonly owner: Owner;
}

const NO_ROWS: ReadonlySet<number> = new Set();

/**
 * The unique-value reservations of the rows of one chunk. The caller's job is exclusive and applies its chunks one
 * after another, so that checking before writing is safe.
 */
export class UniqueReservations {
  readonly #winners: { readonly sku: string; readonly reservations: readonly Reservation[] }[] = [];
  /** The values that deferred rows of this chunk wait for. */
  readonly #awaited: { readonly row: number; readonly reservation: Reservation }[] = [];
  /** Rows that have failed, and that may be recorded as waiting. */
  readonly #failed: number[] = [];

  private constructor(
    readonly options: Pick<ApplyItems, 'siteId' | 'jobId' | 'rules' | 'pass' | 'isWhole'>,
    readonly wanted: Map<number, readonly Reservation[]>,
    /** The rows of which only the values that they set were known. */
    readonly incomplete: ReadonlySet<number>,
    readonly owners: Map<string, Owner>,
    /** The reservations that the items have now: SKU → keys. */
    readonly held: ReadonlyMap<string, readonly string[]>,
    /** The values that deferred rows wait for: key → the first of these rows. */
    readonly awaited: Map<string, number>,
  ) {}

  /** @param wanting all rows that may write an item */
  static async load(
    trx: Knex.Transaction,
    options: Pick<ApplyItems, 'siteId' | 'jobId' | 'rules' | 'pass' | 'isWhole'>,
    wanting: readonly WantingRow[],
  ): Promise<UniqueReservations> {
    const { siteId, jobId, rules, pass, isWhole = false } = options;
    if (rules.unique.length === 0)
      return new UniqueReservations(options, new Map(), NO_ROWS, new Map(), new Map(), new Map());
    const wanted = new Map(wanting.map(({ row, values }) => [row, reservationsOf(values, rules)]));
    const reservations = [...wanted.values()].flat();
    const owners = await loadOwners(trx, siteId, reservations);
    const skus = wanting.map(({ sku }) => sku);
    // In the last pass the rows of a set wait for what they want, and no others do.
    const awaited = pass.last || isWhole ? new Map() : await loadAwaited(trx, jobId, reservations);
    const incomplete = new Set(wanting.flatMap(({ row, values }) => ('document' in values ? [] : [row])));
    return new UniqueReservations(options, wanted, incomplete, owners, await loadHeld(trx, siteId, skus), awaited);
  }

  /** Returns the values of a row that another item has; empty when the row may be written. */
  check({ row, sku }: Pick<WantingRow, 'row' | 'sku'>): TakenValue[] {
    return (this.wanted.get(row) ?? []).flatMap((reservation) => {
      const key = keyOf(reservation.attributeId, reservation.hash);
      const owner = this.owners.get(key);
      if (owner === undefined || owner.sku === sku) return [];
      return [{ problem: notUnique(this.options.rules, reservation, owner), key, owner }];
    });
  }

  /** The keys of the values that a row wants. */
  keysOf(row: number): string[] {
    return (this.wanted.get(row) ?? []).map(({ attributeId, hash }) => keyOf(attributeId, hash));
  }

  /** Whether an earlier row, which is deferred, waits for a value that the row wants. */
  isAwaited({ row, sku }: Pick<WantingRow, 'row' | 'sku'>): boolean {
    if (this.awaited.size === 0) return false;
    return this.keysOf(row).some((key) => (this.awaited.get(key) ?? row) < row && !this.owns(sku, key));
  }

  /** Whether an item has a value. */
  owns(sku: string, key: string): boolean {
    return this.owners.get(key)?.sku === sku;
  }

  /** Keeps the values of a deferred row from the rows that follow. */
  waitFor(row: number): void {
    for (const reservation of this.wanted.get(row) ?? []) {
      const key = keyOf(reservation.attributeId, reservation.hash);
      const first = this.awaited.get(key);
      if (first !== undefined && first <= row) continue;
      this.awaited.set(key, row);
      this.#awaited.push({ row, reservation });
    }
  }

  /** Ends the waiting of a row that failed. A row that is applied has what it waited for. */
  stopWaiting(row: number): void {
    if (this.options.pass.number === 0 || this.options.pass.last || !this.wanted.has(row)) return;
    for (const key of this.keysOf(row)) if (this.awaited.get(key) === row) this.awaited.delete(key);
    this.#failed.push(row);
  }

  /** Reserves the values of a row that is to be written, and releases its former values for the rows that follow. */
  reserve({ row, item }: Holder): void {
    const { sku } = item;
    if (this.incomplete.has(row)) this.wanted.set(row, reservationsOf(item, this.options.rules));
    const reservations = this.wanted.get(row) ?? [];
    this.release(sku);
    for (const { attributeId, hash } of reservations) this.owners.set(keyOf(attributeId, hash), { sku, row });
    if (this.options.rules.unique.length > 0) this.#winners.push({ sku, reservations });
  }

  /** Releases the values of an item that is to be deleted, for good. */
  remove(sku: string): void {
    this.release(sku);
    if (this.options.rules.unique.length > 0) this.#winners.push({ sku, reservations: [] });
  }

  /** Releases the values that an item has now. @returns what takes it back */
  release(sku: string): () => void {
    const released: [key: string, owner: Owner][] = [];
    for (const key of this.held.get(sku) ?? []) {
      const owner = this.owners.get(key);
      if (owner?.sku !== sku) continue;
      this.owners.delete(key);
      released.push([key, owner]);
    }
    return () => {
      for (const [key, owner] of released) this.owners.set(key, owner);
    };
  }

  /** Writes the reservations, and what deferred rows wait for. */
  async store(trx: Knex.Transaction): Promise<void> {
    const { siteId, jobId, isWhole = false } = this.options;
    await storeReservations(trx, siteId, this.#winners);
    if (!isWhole) await storeAwaited(trx, jobId, this.#failed, this.#awaited);
  }
}

function reservationsOf(values: WantingRow['values'], rules: ItemRules): Reservation[] {
  const attributes =
    'document' in values ? { ...values.document.parse(), ...JSON.parse(`{${values.extra}}`) } : values.parse();
  return rules.unique.flatMap((position) => {
    const { id } = rules.definition(position);
    const value = attributes[id];
    return value === undefined ? [] : [{ attributeId: id, position, value, hash: hashOfValue(value) }];
  });
}

/** SHA-256 of the canonical value, as Postgres writes bytea in hex. */
export function hashOfValue(value: unknown): string {
  return `\\x${createHash('sha256').update(JSON.stringify(value)).digest('hex')}`;
}

function notUnique(rules: ItemRules, reservation: Reservation, owner: Owner): RowProblem {
  const { name } = rules.definition(reservation.position);
  const holder = owner.row === null ? `the item "${owner.sku}"` : `row ${owner.row} ("${owner.sku}")`;
  const message = `"${name}" must be unique, and ${holder} has the value ${quoted(reservation.value)} already; give another one`;
  return { code: 'VALUE_NOT_UNIQUE', column: name, message, value: String(reservation.value).slice(0, 200) };
}

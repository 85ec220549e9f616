/** Numbers of SERIAL attributes, reserved once for an entire job, so that no two workers assign the same one. */
import type { Knex } from 'knex';
import type { RowProblem } from '../../../kernel/row-problem.js';
import type { Reserved } from '../../rows/input-plan.js';
import type { RowRange } from '../../rows/row-applier.js';
import type { ItemRules } from '../item-rules.js';
import type { ItemState } from './item-state.js';

/** The largest number that JSON readers represent exactly. */
const LAST_NUMBER = Number.MAX_SAFE_INTEGER;

/**
 * Reserves a number for each row of a job, whether or not the row will need one. The first row gets the next free
 * number.
 * @returns attribute id → the number that row 0 would have; row r has that plus r times the attribute's increment
 */
export async function reserveSerials(trx: Knex.Transaction, rules: ItemRules, rows: RowRange): Promise<Reserved> {
  const reserved: Record<string, number> = {};
  for (const position of rules.serials) {
    const { id } = rules.definition(position);
    const increment = rules.increment(position);
    const result = await trx.raw(
      `UPDATE attribute SET serial_next = LEAST(taken.serial_next + ?::numeric * ?::numeric, ?)::bigint
       FROM (SELECT id, serial_next FROM attribute WHERE id = ? FOR UPDATE) AS taken
       WHERE attribute.id = taken.id RETURNING taken.serial_next AS first`,
      [rows.last - rows.first + 1, increment, LAST_NUMBER + 1, id],
    );
    // No row: the attribute was deleted after the job's snapshot of the definitions, and needs no numbers.
    const [taken]: { first: number }[] = result.rows;
    if (taken !== undefined) reserved[id] = taken.first - rows.first * increment;
  }
  return reserved;
}

/** Shared by all rows. */
const NO_PROBLEMS: readonly RowProblem[] = [];

/** The problem of a new item for which no number is left. */
export function usedUpSerials(
  row: number,
  set: readonly number[],
  assigned: Uint8Array,
  rules: ItemRules,
  reserved: Reserved,
): readonly RowProblem[] {
  if (rules.serials.length === 0) return NO_PROBLEMS;
  return rules.serials.flatMap((position) => {
    const { id, name } = rules.definition(position);
    const base = reserved[id];
    if (base === undefined || assigned[position] !== 1 || set.includes(position)) return [];
    if (base + row * rules.increment(position) <= LAST_NUMBER) return [];
    const message = `the numbers of "${name}" are used up: the largest is ${LAST_NUMBER}; give the item a free number`;
    return [{ code: 'VALUE_RANGE', column: name, message }];
  });
}

/** The numbers of a new item as members of its document: `"id":17`, joined by commas; empty without any. */
export function serialMembers(
  row: number,
  set: readonly number[],
  assigned: Uint8Array,
  rules: ItemRules,
  reserved: Reserved,
): string {
  let members = '';
  for (const position of rules.serials) {
    const attribute = rules.attribute(position);
    const base = reserved[attribute.definition.id];
    if (base === undefined || assigned[position] !== 1 || set.includes(position)) continue;
    const member = `${attribute.jsonKey}:${base + row * rules.increment(position)}`;
    members = members === '' ? member : `${members},${member}`;
  }
  return members;
}

/** Moves the next number past the numbers that rows set themselves, as the rows of an export do. */
export async function raiseSerials(
  trx: Knex.Transaction,
  rules: ItemRules,
  written: Iterable<{ readonly item: ItemState; readonly set: readonly number[] }>,
): Promise<void> {
  if (rules.serials.length === 0) return;
  const highest = new Map<number, number>();
  for (const { item, set } of written) {
    const given = rules.serials.filter((position) => set.includes(position));
    if (given.length === 0) continue;
    const attributes = item.document.parse();
    for (const position of given) {
      const value = attributes[rules.definition(position).id];
      if (typeof value === 'number') highest.set(position, Math.max(value, highest.get(position) ?? value));
    }
  }
  for (const [position, value] of [...highest].sort(([a], [b]) => a - b)) {
    const next = Math.min(value + rules.increment(position), LAST_NUMBER + 1);
    await trx('attribute')
      .where({ id: rules.definition(position).id })
      .where('serial_next', '<', next)
      .update({ serial_next: next });
  }
}

/** Numbers of SERIAL attributes: reserved for a job as a whole, so that none is given twice, whoever applies which row. */
import type { Knex } from 'knex';
import type { Reserved } from '../ingest-kind.js';
import type { ItemRules } from './item-rules.js';
import type { ItemState } from './item-state.js';

/**
 * Reserves a number for each row of a job, whether the row turns out to need one or not.
 * @param lastRow the highest row number
 * @returns attribute id → the number of row 0; row r has that plus r times the attribute's increment
 */
export async function reserveSerials(trx: Knex.Transaction, rules: ItemRules, lastRow: number): Promise<Reserved> {
  const reserved: Record<string, number> = {};
  for (const position of rules.serials) {
    const { id } = rules.definition(position);
    const [row] = await trx('attribute')
      .where({ id })
      .update({ serial_next: trx.raw('serial_next + ?::bigint', [(lastRow + 1) * rules.increment(position)]) })
      .returning<{ serial_next: number }[]>('serial_next');
    // Deleted since the job's definitions were fixed: its numbers are nobody's.
    if (row !== undefined) reserved[id] = row.serial_next - (lastRow + 1) * rules.increment(position);
  }
  return reserved;
}

/** The members that a new item gets besides what its row says: `"id":17`, joined by commas; empty: none. */
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

/** Rows may bring numbers of their own (those of an export do): what is reserved later lies past them. */
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
    const next = value + rules.increment(position);
    await trx('attribute')
      .where({ id: rules.definition(position).id })
      .where('serial_next', '<', next)
      .update({ serial_next: next });
  }
}

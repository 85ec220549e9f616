/** Adds conditions on when a record was created and last changed to a query. */
import type { Model, QueryBuilder } from 'objection';
import { pastInstant } from '../../kernel/past-instant.js';
import type { TimeRange } from '../model/export-spec.js';

interface Changed {
  /** Only records changed up to this instant; null: all. */
  readonly date: string | null;
  readonly createdAt?: TimeRange | undefined;
  readonly updatedAt?: TimeRange | undefined;
}

/** @param query a query on a table with `created_at` and `updated_at` */
export function whereChanged<M extends Model>(
  query: QueryBuilder<M>,
  { date, createdAt = {}, updatedAt = {} }: Changed,
): void {
  if (date !== null) query.where('updated_at', '<', pastInstant(date));
  if (createdAt.from !== undefined) query.where('created_at', '>=', createdAt.from);
  if (createdAt.to !== undefined) query.where('created_at', '<', pastInstant(createdAt.to));
  if (updatedAt.from !== undefined) query.where('updated_at', '>=', updatedAt.from);
  if (updatedAt.to !== undefined) query.where('updated_at', '<', pastInstant(updatedAt.to));
}

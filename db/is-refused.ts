/** Distinguishes a statement that Postgres has refused from one whose outcome is not known. */
import pg from 'pg';

/** SQLSTATE: connection exceptions, insufficient resources, operator intervention. */
const OUTAGE = /^(08|53|57)/;

/** Whether Postgres has refused a statement, which has then changed nothing, for a reason that lies in the statement. */
export function isRefused(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !OUTAGE.test(error.code ?? '');
}

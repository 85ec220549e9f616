/** What readiness says when the database refuses to write. */
import { codeOf, type Finding } from './findings.js';
import { DISK_FULL, OLD_SCHEMA, READ_ONLY, WAITED } from './sql-states.js';

/** @throws the same error when it has only waited for a lock: then reads may wait, too */
export function refusedWrite(error: unknown): Finding | null {
  const code = codeOf(error);
  if (WAITED.includes(code)) throw error;
  if (OLD_SCHEMA.test(code)) return null;
  const cure =
    code === DISK_FULL
      ? 'free space on the disk of Postgres'
      : code === READ_ONLY
        ? 'point DATABASE_URL to the primary server: this one is read-only'
        : 'read the log of Postgres';
  const needsPerson = code === DISK_FULL || code === READ_ONLY ? { needsPerson: true as const } : {};
  return { status: 'degraded', message: 'the database is readable and refuses to write', cure, ...needsPerson };
}

export function isRefusedWrite(error: unknown): boolean {
  return [DISK_FULL, READ_ONLY].includes(codeOf(error));
}

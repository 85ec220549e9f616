/**
 * Prepared statements of hot paths: a connection parses such a statement once, and keeps its plan where that is no worse
 * than a plan for the given values. A kept plan depends on the sizes that the tables had when it was made, so plans are
 * made anew as the tables grow.
 */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type pg from 'pg';

/** In the pool's userParams: whether its connections keep prepared statements. A transaction pooler would mix them up. */
export interface PreparingParams {
  readonly preparesStatements: boolean;
}

/**
 * A statement that is executed often. Its text must not contain values: each text is kept by each connection. Name the
 * columns that it returns, because the result of a prepared statement may not change when a migration adds a column.
 */
export function prepared<Result>(
  db: Knex,
  text: string,
  bindings: Knex.RawBinding[] | Knex.ValueDict,
): Knex.Raw<Result> {
  const statement = Array.isArray(bindings) ? db.raw<Result>(text, bindings) : db.raw<Result>(text, bindings);
  return db.userParams.preparesStatements === true ? statement.options({ name: nameOf(text) }) : statement;
}

const names = new Map<string, string>();

function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `longshore_${createHash('sha256').update(text).digest('base64url').slice(0, 16)}`;
  names.set(text, name);
  return name;
}

/** The first plans are made for tables that may be empty. */
const FIRST_RENEWAL = 8;
const GROWTH = 1.25;
const RENEWED_AFTER_MS = 10_000;

/**
 * Makes a connection plan its prepared statements anew after 8, 10, 13 … executions, and after ten seconds: what grows
 * by these statements has grown by a quarter since, and statistics or other processes have changed the rest.
 */
export function renewPlans(client: pg.ClientBase): void {
  const execute: (...args: [string]) => Promise<unknown> = client.query.bind(client);
  const forward: (...args: unknown[]) => unknown = client.query.bind(client);
  let executions = 0;
  let renewal = FIRST_RENEWAL;
  let renewedAt = performance.now();
  let discarding: Promise<unknown> | undefined;
  const query = (...args: unknown[]) => {
    const now = performance.now();
    if (isNamed(args[0])) executions += 1;
    if (isNamed(args[0]) && (executions >= renewal || now - renewedAt >= RENEWED_AFTER_MS)) {
      if (executions >= renewal) renewal = Math.ceil(renewal * GROWTH);
      renewedAt = now;
      // In a failed transaction it fails like the statement itself.
      const discarded = execute('DISCARD PLANS').catch(() => undefined);
      discarding = discarded;
      discarded.then(() => {
        if (discarding === discarded) discarding = undefined;
      });
    }
    // Statements follow its answer in their order: pg sends one at a time, and warns of a client on which several wait. A
    // stream is its own result, and is sent at once.
    return discarding === undefined || isStream(args[0]) ? forward(...args) : discarding.then(() => forward(...args));
  };
  Object.assign(client, { query });
}

function isNamed(config: unknown): boolean {
  return typeof config === 'object' && config !== null && 'name' in config && typeof config.name === 'string';
}

function isStream(config: unknown): boolean {
  return typeof config === 'object' && config !== null && 'submit' in config;
}

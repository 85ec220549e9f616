/** The statements that a piece of work sends, with the plans they ran by: auto_explain writes them down as they run. */
import type { Knex } from 'knex';
import type pg from 'pg';
import type { Db } from '../../../../db/connection.js';

/** A node of a plan, as EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) writes it. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** A statement that was carried out; those of foreign keys are among them. */
export interface SentStatement {
  readonly text: string;
  /** Blocks of tables and indexes that it looked at, each as often as it did. */
  readonly buffers: number;
  /** Pairs of rows that it compared, and which did not belong together. */
  readonly mismatches: number;
  /** To be shown where it is too expensive. */
  readonly plan: string;
}

/** Sent behind the work: what came before it is then written down. */
const END = 'SELECT 1 AS end_of_work';

const SETTINGS = `
  LOAD 'auto_explain';
  SET LOCAL auto_explain.log_min_duration = 0;
  SET LOCAL auto_explain.log_analyze = on;
  SET LOCAL auto_explain.log_buffers = on;
  SET LOCAL auto_explain.log_timing = off;
  SET LOCAL auto_explain.log_nested_statements = on;
  SET LOCAL auto_explain.log_format = json;
  SET LOCAL auto_explain.log_level = notice`;

/** Whether statements can be measured: only a superuser may load auto_explain. */
export async function canMeasure(db: Db): Promise<boolean> {
  const { rows } = await db.raw("SELECT current_setting('is_superuser') = 'on' AS may");
  return rows[0].may;
}

/** Thrown to have what was measured undone. */
class Measured extends Error {}

/** Does the work in a transaction, which is undone. @returns what it sent */
export async function sentBy(db: Db, work: (trx: Knex.Transaction) => Promise<unknown>): Promise<SentStatement[]> {
  const sent: SentStatement[] = [];
  const note = ({ message = '' }: { readonly message?: string | undefined }): void => {
    const at = message.indexOf('{');
    if (at < 0) return;
    const { 'Query Text': text, Plan: plan }: { 'Query Text': string; Plan: PlanNode } = JSON.parse(message.slice(at));
    if (text !== END)
      sent.push({ text, buffers: buffersOf(plan), mismatches: mismatchesOf(plan), plan: shown(plan).join('\n') });
  };
  const measuring = db.transaction(async (trx) => {
    const connection: pg.Client = await trx.client.acquireConnection();
    await trx.raw(SETTINGS);
    connection.on('notice', note);
    try {
      await work(trx);
      await trx.raw(END);
    } finally {
      connection.off('notice', note);
    }
    throw new Measured();
  });
  await measuring.catch((error: unknown) => {
    if (!(error instanceof Measured)) throw error;
  });
  return sent;
}

/**
 * A parent counts its children, but neither what a CTE writes that it does not wait for, nor does a CTE count once where
 * it is read twice: so what each node did itself is summed up, and is at least what the topmost says.
 */
function buffersOf(plan: PlanNode): number {
  return Math.max(touched(plan), sum(plan));
}

function sum(plan: PlanNode): number {
  const children = plan.Plans ?? [];
  const own = touched(plan) - children.reduce((total, child) => total + touched(child), 0);
  const self = plan['Node Type'] === 'CTE Scan' ? 0 : Math.max(0, own);
  return self + children.reduce((total, child) => total + sum(child), 0);
}

function mismatchesOf(plan: PlanNode): number {
  const own = (plan['Rows Removed by Join Filter'] ?? 0) * (plan['Actual Loops'] ?? 1);
  return (plan.Plans ?? []).reduce((total, child) => total + mismatchesOf(child), own);
}

function touched(plan: PlanNode): number {
  return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
}

function shown(plan: PlanNode, depth = 0): string[] {
  const on = plan['Index Name'] ?? plan['Relation Name'] ?? '';
  const rows = (plan['Actual Rows'] ?? 0) * (plan['Actual Loops'] ?? 1);
  const line = `${'  '.repeat(depth)}${plan['Node Type']} ${on} (${rows} rows, ${touched(plan)} buffers)`;
  return [line, ...(plan.Plans ?? []).flatMap((child) => shown(child, depth + 1))];
}

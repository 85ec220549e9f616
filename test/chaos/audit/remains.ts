/** Audits what a run leaves behind: files, open handles, rows that should be gone, sessions of the database. */
import { setTimeout as delay } from 'node:timers/promises';
import { busyMs } from '../load-watch.js';
import type { ChaosStore } from '../store.js';
import { type Audited, select } from './audited.js';
import { type FaultWindow, isExcusedUnfinished } from './excuses.js';

/** Rows of ended jobs in the order of a site, which one end in 64 removes; the longest run between two is longer. */
const MOST_ENDED_PLACES = 200;
/** Connections that a process opens under load: its pools, keep-alive connections of clients and receivers. */
const MORE_DESCRIPTORS = 90;
const MOST_SESSIONS = 150;
/** What ended jobs leave is removed by the housekeeping of each minute. */
const KEPT_SECONDS = 120;
/** A process tries the store with files that live for a moment. */
const MOMENT_MS = 1_000;
const MINUTE_MS = 60_000;
/** How long an idle process is watched, and for which share of that it may be busy: it has timers. */
const REST_MS = 3_000;
const MOST_BUSY = 0.9;

export async function auditRemains(audited: Audited): Promise<string[]> {
  const rest = await auditRest(audited);
  return [...(await auditStore(audited)), ...auditHandles(audited), ...(await auditTables(audited)), ...rest];
}

/** A process that has nothing to do rests: one whose loop calls again and again serves nothing else. */
async function auditRest({ cluster: { processes } }: Audited): Promise<string[]> {
  const before = processes.pids.map((pid) => ({ pid, busy: busyMs(pid) }));
  await delay(REST_MS);
  return before
    .filter(({ pid, busy }) => busyMs(pid) - busy > MOST_BUSY * REST_MS)
    .map(({ pid }) => `the process ${pid} (${processes.nameOf(pid)}) computes without a pause although it is idle`);
}

/**
 * Each file that the database knows is there to its last byte, and what is unfinished is of a process that died: one that
 * met a full disk cleans up. What is excused is what maintenance removes in the end.
 */
async function auditStore({ cluster: { db, store }, windows }: Audited): Promise<string[]> {
  const violations: string[] = [];
  const files = await select(db, 'SELECT storage_key, bytes FROM file WHERE storage_key IS NOT NULL');
  for (const { storage_key: key, bytes } of files) {
    const size = await store.files.size(key);
    if (size !== bytes)
      violations.push(`the file ${key} has ${size ?? 'no'} bytes in the store, and should have ${bytes}`);
  }
  violations.push(...(await leftUnfinished(store, windows)));
  await store.files.removeAbandoned(-MINUTE_MS);
  for (const name of (await store.unfinished()).keys()) violations.push(`maintenance cannot remove ${name}`);
  return violations;
}

async function leftUnfinished(store: ChaosStore, windows: readonly FaultWindow[]): Promise<string[]> {
  const found = await unexcused(store, windows);
  if (found.length > 0) await delay(MOMENT_MS);
  const stillThere = new Set(found.length > 0 ? await unexcused(store, windows) : []);
  return found
    .filter((name) => stillThere.has(name))
    .map((name) => `${name} is unfinished, and no fault has killed its process`);
}

async function unexcused(store: ChaosStore, windows: readonly FaultWindow[]): Promise<string[]> {
  const unfinished = [...(await store.unfinished())];
  return unfinished.filter(([name, at]) => !isExcusedUnfinished(name, at, windows, store.kind)).map(([name]) => name);
}

/** The processes still have what they need, and no more than before but for connections. */
function auditHandles({ cluster, openBefore }: Audited): string[] {
  const violations: string[] = [];
  for (const [name, open] of cluster.processes.openFiles()) {
    const before = openBefore.get(name) ?? 0;
    if (open.length > before + MORE_DESCRIPTORS) {
      violations.push(`${name} has ${open.length} descriptors open, and had ${before} at the beginning`);
    }
    const stored = cluster.store.filesAmong(open);
    if (stored.length > 0)
      violations.push(`${name} has files of the store open although it is idle: ${stored.slice(0, 3)}`);
  }
  return violations;
}

async function auditTables({ cluster: { db, processes }, lanes }: Audited): Promise<string[]> {
  const violations: string[] = [];
  const accepted = lanes.reduce(
    (sum, { jobs, exports, events }) => sum + jobs.length + exports.length + events.length,
    0,
  );
  const places = await select(
    db,
    `SELECT site_id, count(*) FILTER (WHERE state = 'e')::integer AS ended, count(*) FILTER (WHERE state <> 'e')::integer AS open
     FROM job_order GROUP BY site_id`,
  );
  for (const { site_id: site, ended, open } of places) {
    if (open > 0) violations.push(`${open} jobs of site ${site} have not left its order`);
    if (ended > MOST_ENDED_PLACES) violations.push(`the order of site ${site} keeps ${ended} rows of ended jobs`);
  }
  const [left] = await select(
    db,
    `SELECT (SELECT count(*)::integer FROM job_chunk JOIN job ON job.id = job_id
             WHERE completed_at IS NOT NULL AND job_chunk.status IN ('pending', 'dispatched')) AS "open chunks of ended jobs",
            (SELECT count(*)::integer FROM bundle_wait) AS "waits of bundles",
            (SELECT count(*)::integer FROM unique_wait) AS "claims of ended jobs",
            (SELECT count(*)::integer FROM suspect_step JOIN job ON job.id = job_id
             WHERE completed_at < now() - interval '${KEPT_SECONDS} seconds' AND job.status <> 'FAILED') AS "suspect steps of ended jobs",
            greatest((SELECT count(*)::integer FROM process_heartbeat) - ${processes.starts}, 0) AS "heartbeats more than processes",
            greatest((SELECT count(*)::integer FROM idempotency_key) - ${accepted}, 0) AS "idempotency keys more than requests",
            (SELECT count(*)::integer FROM pg_stat_activity WHERE datname = current_database()
             AND state LIKE 'idle in transaction%' AND state_change < now() - interval '5 seconds') AS "idle transactions",
            (SELECT count(*)::integer FROM delivery_attempt WHERE NOT EXISTS (SELECT FROM delivery WHERE id = delivery_id))
              AS "attempts without a delivery"`,
  );
  for (const [what, count] of Object.entries(left)) {
    if (count !== 0) violations.push(`there are ${count} ${what}`);
  }
  const [{ sessions }] = await select(
    db,
    'SELECT count(*)::integer AS sessions FROM pg_stat_activity WHERE datname = current_database()',
  );
  if (sessions > MOST_SESSIONS) violations.push(`the processes have ${sessions} sessions of the database`);
  return violations;
}

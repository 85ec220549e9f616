/** Audits jobs: each has ended, its counts add up, and a site whose jobs exclude each other is as its model. */
import { isDeepStrictEqual } from 'node:util';
import type { Db } from '../../../db/connection.js';
import { type Expected, expectOf, type ModelItem, type SiteState, type Work } from '../site-model.js';
import type { AcceptedExport, Lane } from '../workload.js';
import { type Row, select } from './audited.js';
import { contradictionOf, type HistoryStep } from './snapshots.js';

/** What holds for every job, whatever it was for. */
export async function auditAllJobs(db: Db): Promise<string[]> {
  const violations: string[] = [];
  const jobs = await select(db, 'SELECT * FROM job');
  for (const job of jobs) {
    const name = `job ${job.id} (${job.type}, ${job.status})`;
    const counted = job.created_count + job.updated_count + job.unchanged_count + job.error_count;
    if (job.completed_at === null) violations.push(`${name} has not ended`);
    if (job.status === 'FAILED') violations.push(`${name} has failed permanently: ${job.status_message}`);
    if (!/EXPORT/.test(job.type) && job.status.startsWith('COMPLETED') && counted !== job.total_count) {
      violations.push(`${name}: the counts add up to ${counted}, and it has ${job.total_count} rows`);
    }
  }
  const chunks = await select(
    db,
    `SELECT job_id, idx, job_chunk.status, row_count, length(outcomes) AS outcomes FROM job_chunk JOIN job ON job.id = job_id
     WHERE job.status LIKE 'COMPLETED%' AND (job_chunk.status <> 'done' OR length(outcomes) IS DISTINCT FROM row_count)
       AND job.total_count > 0`,
  );
  for (const { job_id: id, idx, status, row_count: rows, outcomes } of chunks) {
    violations.push(`chunk ${idx} of job ${id} is ${status}, with ${outcomes} outcomes of ${rows} rows`);
  }
  return violations;
}

/** A lane whose jobs exclude each other: each job reports what the model says, and so does every export. */
export async function auditOrdered(db: Db, lane: Lane): Promise<string[]> {
  const violations: string[] = [];
  const rows = new Map<string, Row>();
  for (const row of await select(db, 'SELECT * FROM job WHERE site_id = ?', [lane.siteId])) rows.set(row.id, row);
  const events = lane.name === 'subscribed' ? await itemEvents(db, lane.siteId) : undefined;
  const categories = new Set<string>();
  const history: HistoryStep[] = [];
  let before: SiteState = new Map();
  for (const [number, { jobId, work }] of lane.jobs.entries()) {
    const name = `${lane.name}: job ${number} (${describeWork(work)}, ${jobId})`;
    const expected = expectOf(work, before, categories);
    if (work.kind === 'categories') for (const category of work.names) categories.add(category);
    violations.push(...compareJob(name, rows.get(jobId), expected));
    if (events !== undefined) violations.push(...compareEvents(name, events.get(jobId) ?? [], expected));
    history.push({ after: expected.after, chunks: await chunksOf(db, jobId, work) });
    before = expected.after;
  }
  const items = await readItems(db, lane.siteId);
  const wrong = contradictionOf(items, history, history.length);
  if (wrong !== undefined) violations.push(`${lane.name}: the items are not those of the model: ${wrong}`);
  for (const one of lane.exports) {
    const seen = await readExport(lane, one);
    const wrong = typeof seen === 'string' ? seen : contradictionOf(seen, history, one.knownEnded);
    if (wrong !== undefined) {
      violations.push(`${lane.name}: export ${one.jobId}, requested after ${one.knownEnded} ended jobs: ${wrong}`);
    }
  }
  return [...violations, ...(events === undefined ? [] : await auditEndEvents(db, lane))];
}

function compareJob(name: string, job: Row, { status, total, counts }: Expected): string[] {
  if (job === undefined) return [`${name} was accepted and is not there`];
  const told = { status: job.status, total: job.total_count };
  const actual = {
    ...{ created: job.created_count, updated: job.updated_count },
    ...{ unchanged: job.unchanged_count, failed: job.error_count },
  };
  if (isDeepStrictEqual([told, actual], [{ status, total }, counts])) return [];
  return [
    `${name} ended as ${JSON.stringify({ ...told, ...actual })}, not ${JSON.stringify({ status, total, ...counts })}`,
  ];
}

// Events

/** `ITEM_CREATED sku` by job, sorted. */
async function itemEvents(db: Db, siteId: number): Promise<ReadonlyMap<string, readonly string[]>> {
  const events = await select(db, "SELECT event, payload FROM event WHERE site_id = ? AND event LIKE 'ITEM%'", [
    siteId,
  ]);
  const byJob = new Map<string, string[]>();
  for (const { event, payload } of events) {
    const { jobId, skus } = JSON.parse(payload) as { jobId: string; skus: string[] };
    byJob.set(jobId, [...(byJob.get(jobId) ?? []), ...skus.map((sku) => `${event} ${sku}`)]);
  }
  for (const named of byJob.values()) named.sort();
  return byJob;
}

function compareEvents(name: string, actual: readonly string[], { events }: Expected): string[] {
  if (isDeepStrictEqual(actual, events)) return [];
  const missing = events.filter((event) => !actual.includes(event));
  const extra = actual.filter((event, index) => !events.includes(event) || actual.indexOf(event) !== index);
  return [`${name}: its events lack [${missing.slice(0, 4)}] and have [${extra.slice(0, 4)}] in addition`];
}

/** One event for the end of each job. */
async function auditEndEvents(db: Db, lane: Lane): Promise<string[]> {
  const rows = await select(
    db,
    `SELECT job.id, count(event.id)::integer AS events FROM job LEFT JOIN event ON event.site_id = job.site_id
       AND event.event IN ('JOB_COMPLETED', 'JOB_FAILED') AND event.payload::jsonb ->> 'jobId' = job.id
     WHERE job.site_id = ? AND job.created_at > (SELECT min(created_at) FROM webhook_definition WHERE site_id = job.site_id)
       AND job.type NOT LIKE '%EXPORT%'
     GROUP BY job.id HAVING count(event.id) <> 1`,
    [lane.siteId],
  );
  return rows.map(({ id, events }) => `${lane.name}: job ${id} has ${events} events of its end`);
}

// What was written

/** The SKUs of the transactions of a job. */
async function chunksOf(db: Db, jobId: string, work: Work): Promise<string[][]> {
  if (work.kind === 'delete') return [[...work.skus]];
  if (work.kind === 'categories') return [];
  const isOneTransaction = work.form === 'request' || work.onError === 'abort' || work.validateOnly;
  if (isOneTransaction) return [work.rows.map(({ sku }) => sku)];
  const chunks = await select(db, 'SELECT first_row, row_count FROM job_chunk WHERE job_id = ? ORDER BY idx', [jobId]);
  // Of several rows with one key one is applied, and the others have no effect on when it is.
  const lastOf = new Map([...work.rows.entries()].map(([index, { sku }]) => [sku, index]));
  const firstOf = new Map([...work.rows.entries()].toReversed().map(([index, { sku }]) => [sku, index]));
  const winners = work.mode === 'insert' ? firstOf : lastOf;
  return chunks.map(({ first_row: first, row_count: count }) => {
    const from = first - firstRowOf(work.form);
    return work.rows.slice(from, from + count).flatMap(({ sku }, at) => (winners.get(sku) === from + at ? [sku] : []));
  });
}

/** Headers are counted as rows. */
function firstRowOf(form: string): number {
  return form === 'csv' || form === 'xlsx' ? 2 : 1;
}

export async function readItems(db: Db, siteId: number): Promise<Map<string, ModelItem>> {
  const names = new Map<string, string>();
  for (const { id, name } of await select(db, 'SELECT id, name FROM attribute WHERE site_id = ?', [siteId])) {
    names.set(id, name);
  }
  const items = await select(db, 'SELECT sku, attributes FROM item WHERE site_id = ?', [siteId]);
  return new Map(
    items.map(({ sku, attributes }) => [
      sku,
      itemOf(Object.fromEntries(Object.entries(attributes).map(([id, value]) => [names.get(id) ?? id, value]))),
    ]),
  );
}

/** @returns the items in the file; a sentence when there is no whole file */
export async function readExport(
  { client }: Lane,
  { jobId }: AcceptedExport,
): Promise<Map<string, ModelItem> | string> {
  const job = await client.expect(200, { method: 'GET', path: `/jobs/${jobId}` });
  if (job.status !== 'COMPLETED') return `it ended as ${job.status}: ${job.statusMessage}`;
  const [fileId] = job.outputFiles;
  const { location } = await client.expect(200, { method: 'GET', path: `/files/product/${fileId}/actions/download` });
  const text = await (await fetch(location)).text();
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length !== job.progressTracker.totalCount) {
    return `its file has ${lines.length} lines, and the job says ${job.progressTracker.totalCount}`;
  }
  return new Map(
    lines.map((line) => {
      const { sku, attributes } = JSON.parse(line);
      return [sku, itemOf(attributes ?? {})];
    }),
  );
}

function itemOf({ Title, Colour, Stock }: Readonly<Record<string, unknown>>): ModelItem {
  return {
    ...(Title === undefined || Title === null ? {} : { title: String(Title) }),
    ...(Colour === undefined || Colour === null ? {} : { colour: String(Colour) }),
    ...(Stock === undefined || Stock === null ? {} : { stock: String(Stock) }),
  };
}

function describeWork(work: Work): string {
  if (work.kind !== 'import') return work.kind;
  const { mode, form, onError, validateOnly } = work;
  return [mode, form, onError === 'abort' ? 'atomic' : '', validateOnly ? 'dry' : '']
    .filter((word) => word !== '')
    .join(' ');
}

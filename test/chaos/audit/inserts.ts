/** Audits concurrent inserts: any job may have won a key, but one has, and each chunk is there as a whole. */
import type { Db } from '../../../db/connection.js';
import type { Lane } from '../workload.js';
import { select } from './audited.js';
import { readExport, readItems } from './jobs.js';

export async function auditInserts(db: Db, lane: Lane): Promise<string[]> {
  const violations: string[] = [];
  /** SKUs that each chunk has created, in the order of the jobs. */
  const created: { readonly job: number; readonly skus: readonly string[] }[] = [];
  const ownerOf = new Map<string, number>();
  for (const [job, { jobId, work }] of lane.jobs.entries()) {
    if (work.kind !== 'import') continue;
    const chunks = await select(db, 'SELECT outcomes FROM job_chunk WHERE job_id = ? ORDER BY idx', [jobId]);
    const perChunk = chunks.map(({ outcomes }): string => outcomes ?? '');
    if (perChunk.join('').length !== work.rows.length) {
      violations.push(
        `inserts: job ${job} (${jobId}) has ${perChunk.join('').length} outcomes of ${work.rows.length} rows`,
      );
      continue;
    }
    let at = 0;
    for (const outcomes of perChunk) {
      const rows = work.rows.slice(at, at + outcomes.length);
      created.push({ job, skus: rows.flatMap(({ sku }, index) => (outcomes[index] === 'c' ? [sku] : [])) });
      at += outcomes.length;
    }
  }
  for (const { job, skus } of created) {
    for (const sku of skus) {
      const owner = ownerOf.get(sku);
      if (owner !== undefined) violations.push(`inserts: jobs ${owner} and ${job} both say that they created ${sku}`);
      ownerOf.set(sku, job);
    }
  }
  const items = await readItems(db, lane.siteId);
  if (items.size !== ownerOf.size)
    violations.push(`inserts: there are ${items.size} items, and ${ownerOf.size} were created`);
  for (const [sku, { title }] of items) {
    const owner = ownerOf.get(sku);
    if (title !== `job ${owner}`) violations.push(`inserts: ${sku} was created by job ${owner}, and is of "${title}"`);
  }
  for (const one of lane.exports) {
    const seen = await readExport(lane, one);
    if (typeof seen === 'string') {
      violations.push(`inserts: export ${one.jobId}: ${seen}`);
      continue;
    }
    for (const { job, skus } of created) {
      const there = skus.filter((sku) => seen.has(sku)).length;
      const isWhole = there === skus.length || (there === 0 && job >= one.knownEnded);
      if (!isWhole)
        violations.push(`inserts: export ${one.jobId} shows ${there} of ${skus.length} rows of a chunk of job ${job}`);
    }
    for (const [sku, { title }] of seen) {
      if (title !== `job ${ownerOf.get(sku)}`)
        violations.push(`inserts: export ${one.jobId} shows ${sku} of "${title}"`);
    }
  }
  return [...violations, ...(await auditStatus(db, lane))];
}

/** No item has a colour: whether it is LIVE depends on whether a colour is mandatory at last. */
async function auditStatus(db: Db, lane: Lane): Promise<string[]> {
  const [{ mandatory }] = await select(
    db,
    `SELECT bool_or(mandatory) AS mandatory FROM category_attribute JOIN attribute ON attribute.id = attribute_id
     WHERE site_id = ? AND name = 'Colour'`,
    [lane.siteId],
  );
  const rows = await select(
    db,
    'SELECT status, count(*)::integer AS count FROM item WHERE site_id = ? GROUP BY status',
    [lane.siteId],
  );
  const wrong = rows.filter(({ status }) => (status === 'D') !== mandatory);
  return wrong.map(
    ({ status, count }) => `inserts: ${count} items are ${status}, and a colour is mandatory: ${mandatory}`,
  );
}

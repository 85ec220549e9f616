/** The auditor: after a run, it compares everything that is left with what the lanes had accepted. */
import type { Audited } from './audited.js';
import { auditDeliveries } from './deliveries.js';
import { auditInserts } from './inserts.js';
import { auditAllJobs, auditOrdered } from './jobs.js';
import { auditRemains } from './remains.js';

/** @returns a sentence for each promise that was broken */
export async function audit(audited: Audited): Promise<string[]> {
  const { db } = audited.cluster;
  const violations = await auditAllJobs(db);
  for (const lane of audited.lanes) {
    if (lane.name === 'ordered' || lane.name === 'subscribed') violations.push(...(await auditOrdered(db, lane)));
    if (lane.name === 'inserts') violations.push(...(await auditInserts(db, lane)));
  }
  violations.push(...(await auditDeliveries(audited)));
  violations.push(...(await auditRemains(audited)));
  return violations;
}

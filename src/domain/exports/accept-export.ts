/** Commits an export that a client was told is accepted. It takes no place in its site's line: it reads, and one snapshot. */
import type { Db } from '../../../db/connection.js';
import type { Dispatch } from '../../queues/outbox.js';
import type { SiteContext } from '../access/site-context.js';
import type { ExportEntity, ExportSpec } from './export-spec.js';

/** What the job is called, and the file that it writes. */
export const EXPORT_TYPES: Readonly<Record<ExportEntity, string>> = {
  product: 'ITEM_EXPORT',
  bundle: 'BUNDLE_EXPORT',
  attribute: 'ATTRIBUTE_EXPORT',
  category: 'CATEGORY_EXPORT',
};

export interface NewExport {
  readonly id: string;
  readonly site: SiteContext;
  readonly requestId: string;
  readonly spec: ExportSpec;
}

/** @returns what to enqueue once `trx` has committed */
export async function acceptExport(trx: Db, { id, site, requestId, spec }: NewExport): Promise<Dispatch[]> {
  await trx('job').insert({
    id,
    site_id: site.siteId,
    account_id: site.accountId,
    type: EXPORT_TYPES[spec.entity],
    kind: 'export',
    status: 'SCHEDULED',
    options: JSON.stringify(spec),
    channel: site.channel,
    request_id: requestId,
    shared: true,
    step: 'export',
    dispatch: 1,
    dispatched_at: trx.fn.now(),
  });
  return [{ queue: 'export', payload: { jobId: id, dispatch: 1 } }];
}

/** Whether an export of what has changed can say it, or is whole because nothing less says what is written otherwise now. */
import type { Db } from '../../../../db/connection.js';
import { areRenamedSince, areRewrittenSince, type WrittenBy } from '../../changes/definitions-since.js';
import { isPruned, readFeedState } from '../../changes/feed-cursor.js';
import type { ExportSpec } from '../model/export-spec.js';

type Spec = Exclude<ExportSpec, { entity: 'site' }>;
type ItemSpec = Extract<Spec, { entity: 'product' | 'bundle' }>;

/** @param trx the snapshot of the export @returns null: only what has changed is written, or everything was asked for */
export async function whyWhole(trx: Db, siteId: number, spec: Spec): Promise<string | null> {
  const { since } = spec;
  if (since === undefined) return null;
  // The export may have waited for a long time.
  const feed = await readFeedState(trx, siteId);
  if (feed !== undefined && isPruned(since, feed.pruned)) return 'the changes since then are no longer kept';
  switch (spec.entity) {
    case 'attribute':
      return null;
    case 'category':
      // A category that the date hides, hides those below it, which have not changed.
      if (spec.date !== null) return 'the context has a date';
      return (await areRenamedSince(trx, siteId, since))
        ? 'categories or attributes were renamed or moved, which concerns categories that were not changed'
        : null;
    default:
      return (await areRewrittenSince(trx, siteId, since, writtenBy(spec)))
        ? 'attributes or categories were changed, which concerns items that were not'
        : null;
  }
}

function writtenBy({ columns, match }: ItemSpec): WrittenBy {
  if (columns === null) return { attributes: null, categories: true };
  const named = columns.flatMap((column) => (column.kind === 'attribute' ? [column.attributeId] : []));
  const tested = (match.properties ?? []).map(({ attributeId }) => attributeId);
  const areWritten = columns.some(({ kind }) => kind === 'category' || kind === 'alternates');
  return { attributes: [...named, ...tested], categories: areWritten || match.categoryIds !== undefined };
}

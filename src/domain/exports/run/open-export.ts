/** Opens the queries of an export: which records its file has, and in which form. */
import type { Snapshot } from '../../../../db/copy-out.js';
import { querySql, sql } from '../../../../db/sql.js';
import type { FeedPlace } from '../../changes/feed-cursor.js';
import { attributeExport } from '../attributes/export-attributes.js';
import { openMappedRecords } from '../by-profile/mapped-records.js';
import { openMappedRows } from '../by-profile/mapped-rows.js';
import { categoryExport } from '../categories/export-categories.js';
import { itemExport, taggedItems } from '../items/export-items.js';
import { ItemCatalog } from '../items/item-catalog.js';
import type { ExportSpec } from '../model/export-spec.js';
import type {
  ColumnsBody,
  CopyBody,
  LinesBody,
  MappedBody,
  MappedRecordsBody,
  RecordsBody,
  WorkbookBody,
} from '../write/export-body.js';

/** The records that the site context of the request can see. */
export interface ExportSite {
  readonly siteId: number;
  readonly channel: number | null;
}

type ExportBody = ColumnsBody | CopyBody | WorkbookBody | MappedBody | MappedRecordsBody | RecordsBody | LinesBody;

/**
 * Builds the body of an export, in its snapshot.
 * @param since only what has changed after this place in the feed of changes; undefined: everything
 * @throws ExportRefused when it cannot be written as it was requested
 */
export async function openExport(
  trx: Snapshot['trx'],
  { siteId, channel }: ExportSite,
  spec: Exclude<ExportSpec, { entity: 'site' }>,
  since: FeedPlace | undefined,
): Promise<ExportBody> {
  const { formatting, date } = spec;
  switch (spec.entity) {
    case 'attribute':
      return asProfile(spec, await attributeExport(trx, { siteId, date, match: spec.match, since }, formatting));
    case 'category':
      return asProfile(spec, await categoryExport(trx, { siteId, date, match: spec.match, since }, formatting));
    case 'product':
    case 'bundle': {
      const catalog = await ItemCatalog.load(trx, siteId);
      const scope = { siteId, channel, date, match: spec.match, since };
      if (spec.profile !== undefined) return openMappedRows(catalog, scope, spec.profile, formatting);
      const tagged = spec.columns === null && (await querySql(trx, sql`${taggedItems(scope)} LIMIT 1`)).length > 0;
      return itemExport(catalog, scope, spec.columns, formatting, tagged);
    }
  }
}

/** The records in the form of the profile, if the request names one. */
function asProfile(
  { entity, profile, formatting }: Extract<ExportSpec, { entity: 'attribute' | 'category' }>,
  body: LinesBody | RecordsBody,
): LinesBody | RecordsBody | MappedRecordsBody {
  return profile === undefined || 'lines' in body ? body : openMappedRecords(entity, body, profile, formatting);
}

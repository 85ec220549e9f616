/** Finds out, in the snapshot of an export, what its file is made of. */
import type { Db } from '../../../../db/connection.js';
import { attributeExport } from '../attributes/export-attributes.js';
import { categoryExport } from '../categories/export-categories.js';
import type { ExportSpec } from '../export-spec.js';
import { itemExport } from '../items/export-items.js';
import { ItemCatalog } from '../items/item-catalog.js';
import type { ExportBody } from './export-body.js';

/** Whose records, as the site context of the request said. */
export interface ExportSite {
  readonly siteId: number;
  readonly channel: number | null;
}

/** @throws ExportRefused when it cannot be written as it was asked for */
export async function openExport(trx: Db, { siteId, channel }: ExportSite, spec: ExportSpec): Promise<ExportBody> {
  const { formatting, date } = spec;
  switch (spec.entity) {
    case 'attribute':
      return attributeExport(trx, siteId, date, spec.match, formatting);
    case 'category':
      return categoryExport(trx, siteId, date, spec.match, formatting);
    case 'product':
    case 'bundle': {
      const catalog = await ItemCatalog.load(trx, siteId);
      return itemExport(catalog, { siteId, channel, date, match: spec.match }, spec.columns, formatting);
    }
  }
}

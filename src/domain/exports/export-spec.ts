/** What an export is to write: checked and resolved when it was accepted, kept with its job. Survives JSON. */

import type { ItemStatusCode, ItemTypeCode } from '../../../db/models/item.js';
import type { SourceFormat } from '../formats/source-contract.js';
import type { ItemColumn } from './item-columns.js';
import type { PropertyCondition } from './property-condition.js';

export type ExportEntity = 'product' | 'bundle' | 'attribute' | 'category';

/** Those of FILE_FORMATS that say how exports are written. */
export const EXPORT_FORMATS = ['CSV', 'JSONL', 'XLSX'] as const satisfies readonly SourceFormat[];
type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const DELIMITERS = [',', ';', '\t', '|'] as const;

/** How the file is written. */
export interface ExportFormatting {
  readonly format: ExportFormat;
  readonly gzip: boolean;
  /** CSV only, like the following. */
  readonly delimiter: string;
  readonly decimalSeparator: '.' | ',';
  readonly bom: boolean;
  /** Puts an apostrophe before cells that a spreadsheet would take for a formula. */
  readonly escapeFormulas: boolean;
  /** Told in the file's name. */
  readonly locale: string | null;
}

/** ISO 8601 instants, both ends included. */
export interface TimeRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Which records, of those that the site context sees. A field that is absent asks for nothing; several are all asked. */
export interface ItemMatch {
  /** Row numbers of items, in digits: they may be past what a double holds. */
  readonly rowNos?: readonly string[] | undefined;
  readonly skus?: readonly string[] | undefined;
  /** Items, bundles, or both. */
  readonly types: readonly ItemTypeCode[];
  readonly status?: ItemStatusCode | undefined;
  /** Ids of categories of either kind of tree: items in them and below. */
  readonly categoryIds?: readonly string[] | undefined;
  readonly createdAt?: TimeRange | undefined;
  readonly updatedAt?: TimeRange | undefined;
  readonly properties?: readonly PropertyCondition[] | undefined;
}

export interface AttributeMatch {
  readonly ids?: readonly string[] | undefined;
  readonly nameKeys?: readonly string[] | undefined;
  readonly types?: readonly string[] | undefined;
  readonly createdAt?: TimeRange | undefined;
  readonly updatedAt?: TimeRange | undefined;
}

export interface CategoryMatch {
  readonly ids?: readonly string[] | undefined;
  /** These and all below them. */
  readonly within?: readonly string[] | undefined;
  readonly tree?: 'PRIMARY' | 'ALTERNATE' | undefined;
  readonly active?: boolean | undefined;
  readonly createdAt?: TimeRange | undefined;
  readonly updatedAt?: TimeRange | undefined;
}

/** What is written of which records. */
export type ExportContent =
  | {
      readonly entity: 'product' | 'bundle';
      readonly match: ItemMatch;
      /** Null: those of the template, which an import reads. */
      readonly columns: readonly ItemColumn[] | null;
    }
  | { readonly entity: 'attribute'; readonly match: AttributeMatch }
  | { readonly entity: 'category'; readonly match: CategoryMatch };

export type ExportSpec = ExportContent & {
  readonly formatting: ExportFormatting;
  /** Only records changed up to this instant, ISO 8601; null: all. */
  readonly date: string | null;
  /** How many records the request named; null: it did not name them one by one. */
  readonly named: number | null;
  /** Told when the job has ended. */
  readonly callbackUrl?: string | undefined;
};

/** What a file can be imported as. */
import type { JobKind } from '../../../db/models/job.js';

const KINDS = {
  ITEM_IMPORT: 'item',
  PRODUCT_IMPORT: 'item',
  ITEM_VARIANT_IMPORT: 'item',
  BUNDLE_IMPORT: 'item',
  ATTRIBUTE_IMPORT: 'attribute',
  CATEGORY_IMPORT: 'category',
} as const satisfies Readonly<Record<string, JobKind>>;

export type ImportType = keyof typeof KINDS;

export const IMPORT_TYPES = Object.keys(KINDS) as readonly ImportType[] as readonly [ImportType, ...ImportType[]];

/** The pipeline that carries an import out. */
export function kindOfImport(type: ImportType): JobKind {
  return KINDS[type];
}

/** Why anything else is no type that can be imported. */
export function unknownTypeMessage(): string {
  return `expected one of ${IMPORT_TYPES.join(', ')}`;
}

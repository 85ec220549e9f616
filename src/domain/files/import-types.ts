/** What a file can be imported as. */
import type { JobKind } from '../../../db/models/job.js';

const KINDS = {
  ITEM_IMPORT: 'item',
  PRODUCT_IMPORT: 'item',
  ITEM_VARIANT_IMPORT: 'item',
  BUNDLE_IMPORT: 'item',
  ATTRIBUTE_IMPORT: 'attribute',
} as const satisfies Readonly<Record<string, JobKind>>;

export type ImportType = keyof typeof KINDS;

export const IMPORT_TYPES = Object.keys(KINDS) as readonly ImportType[] as readonly [ImportType, ...ImportType[]];

/** Known by name, so that whoever asks for one is told that it is missing and not that it is misspelt. */
const NOT_AVAILABLE: ReadonlySet<unknown> = new Set(['CATEGORY_IMPORT']);

/** The pipeline that carries an import out. */
export function kindOfImport(type: ImportType): JobKind {
  return KINDS[type];
}

/** Why this is no type that can be imported. */
export function unknownTypeMessage(given: unknown): string {
  const known = IMPORT_TYPES.join(', ');
  if (NOT_AVAILABLE.has(given)) return `${given} is not available in this version; there are ${known}`;
  return `expected one of ${known}`;
}

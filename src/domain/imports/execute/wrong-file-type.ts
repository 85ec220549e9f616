/** Files of the wrong type: items that were announced as attributes, and the like. */
import { ATTRIBUTE_TYPE_NAMES } from '../../catalog/model/attribute-definition.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import type { ImportJob } from '../model/import-jobs.js';

type Content = Exclude<ImportJob['kind'], 'status' | 'revert' | 'promote' | 'site'>;

/** The column that identifies the rows of each type, and how such files are announced. */
const CONTENTS: Readonly<Record<Content, { readonly key: string; readonly rows: string; readonly fileType: string }>> =
  {
    item: { key: 'SKU', rows: 'items', fileType: 'ITEM_IMPORT' },
    attribute: { key: 'Attribute Title', rows: 'attributes', fileType: 'ATTRIBUTE_IMPORT' },
    category: { key: 'Category Path', rows: 'categories', fileType: 'CATEGORY_IMPORT' },
  };

type Announced = Pick<ImportJob, 'kind' | 'type'>;

/** Whether the file of a job was announced by a client. */
function hasContent(job: Announced): job is Announced & { readonly kind: Content } {
  return job.kind in CONTENTS;
}

/**
 * Reads a header. One that is refused, and identifies rows of another type, is refused for that.
 * @throws RejectedInput as `read` does, or WRONG_FORMAT
 */
export function readHeaderOf<T>(job: Announced, cells: readonly string[], read: () => T): T {
  try {
    return read();
  } catch (error) {
    const keys = new Set(cells.map(attributeKey));
    const has = ({ key }: { readonly key: string }) => keys.has(attributeKey(key));
    if (!(error instanceof RejectedInput) || !hasContent(job) || has(CONTENTS[job.kind])) throw error;
    const other = Object.values(CONTENTS).find(has);
    throw other === undefined ? error : otherRows(job, other, `its header has the column "${other.key}"`);
  }
}

/** @param element the first row of a JSON file @throws RejectedInput WRONG_FORMAT if it is plainly of another type */
export function refuseOtherElement(job: Announced, element: unknown): void {
  if (!hasContent(job) || typeof element !== 'object' || element === null || Array.isArray(element)) return;
  const found = contentOf(element as Readonly<Record<string, unknown>>);
  if (found === undefined || found.content === job.kind) return;
  throw otherRows(job, CONTENTS[found.content], `its first element has ${found.members}`);
}

/** What an element plainly is; undefined when it could be several things, or nothing that is known. */
function contentOf({ sku, name, type, path }: Readonly<Record<string, unknown>>) {
  if (sku !== undefined) {
    return name === undefined && path === undefined
      ? { content: 'item' as const, members: 'the member "sku"' }
      : undefined;
  }
  if (path !== undefined) return { content: 'category' as const, members: 'the member "path"' };
  const isAttribute = name !== undefined && (ATTRIBUTE_TYPE_NAMES as readonly unknown[]).includes(type);
  return isAttribute ? { content: 'attribute' as const, members: `the type ${String(type)}` } : undefined;
}

function otherRows(
  { type }: Announced,
  { rows, fileType }: { readonly rows: string; readonly fileType: string },
  because: string,
): RejectedInput {
  const message = `The file was announced as ${type}, but it holds ${rows}: ${because}. Announce it with the fileType ${fileType}.`;
  return new RejectedInput('WRONG_FORMAT', message);
}

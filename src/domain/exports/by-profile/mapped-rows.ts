/** Opens the rows of an export of items that is written in the form of a profile. */
import { quoted } from '../../kernel/value-problem.js';
import { itemCells } from '../items/export-items.js';
import type { ItemCatalog } from '../items/item-catalog.js';
import type { ItemScope } from '../items/item-condition.js';
import { writtenFormat } from '../model/export-format.js';
import type { ExportFormatting, ExportProfile, ItemColumn } from '../model/export-spec.js';
import type { MappedBody } from '../write/export-body.js';
import { type FilledRule, ProfileRows } from './profile-rows.js';
import { WriteLosses } from './write-losses.js';

/** A rule that is written, and the column of ours that it fills. */
interface FilledColumn extends FilledRule {
  readonly column: ItemColumn;
}

/** @throws ExportRefused when the definitions have changed since the request */
export function openMappedRows(
  catalog: ItemCatalog,
  scope: ItemScope,
  { document, columns }: Pick<ExportProfile, 'document' | 'columns'>,
  { format }: Pick<ExportFormatting, 'format'>,
): MappedBody {
  const losses = new WriteLosses();
  const filled: FilledColumn[] = [];
  const rules = document.columns.map((rule, index) => {
    const column = columns[index] ?? null;
    if (column !== null) {
      const isBoolean = column.kind === 'attribute' && catalog.attribute(column.attributeId).type === 'BOOLEAN';
      const asMade =
        column.kind === 'category' ? withoutRoot : isBoolean && hasStep(rule, 'boolean') ? inCapitals : asItIs;
      const written = asKey(column, catalog);
      // A SKU and a category have no word that clears them.
      const clears = written.kind !== 'sku' && written.kind !== 'category';
      filled.push({ rule, column: written, isKey: written.kind === 'sku', clears, asMade });
      return rule;
    }
    if (rule.to !== null) {
      const { to } = rule;
      losses.add(
        'COLUMN_NOT_WRITTEN',
        to,
        null,
        () => `there is no attribute ${quoted(to)}, so that nothing is written`,
      );
    }
    // Its columns stay in the file, because the profile reads them.
    return { ...rule, to: null };
  });
  const readsDate = filled.map(({ rule }) => hasStep(rule, 'date'));
  const body = itemCells(
    catalog,
    scope,
    filled.map(({ column }) => column),
    (index) => readsDate[index] === true,
  );
  const isText = writtenFormat(format).exports === 'table';
  return { ...body, rows: new ProfileRows({ ...document, columns: rules }, filled, losses, { noun: 'item', isText }) };
}

export function hasStep({ steps }: FilledRule['rule'], name: 'boolean' | 'date' | 'path'): boolean {
  return steps.some(({ step }) => step === name);
}

function asItIs(cell: string): string {
  return cell;
}

/** The words `true` and `false`, which the step for such words writes in capitals. */
function inCapitals(cell: string): string {
  return cell.toUpperCase();
}

const ROOT = 'PRIMARY->';
/** A path that could be read as a node id, an id or the root itself, if the root did not stand before it. */
const NEEDS_ROOT = /^(?:[0-9]+|[0-9a-f]{24}|PRIMARY(?:->.*)?)$/i;

/** The path of a category as people write it. */
export function withoutRoot(path: string): string {
  const below = path.startsWith(ROOT) ? path.slice(ROOT.length) : path;
  return NEEDS_ROOT.test(below) ? path : below;
}

/** The column of the attribute that is the key holds the SKU. */
function asKey(column: ItemColumn, { skuAttributeId }: ItemCatalog): ItemColumn {
  return column.kind === 'attribute' && column.attributeId === skuAttributeId ? { kind: 'sku' } : column;
}

/** Opens the rows of an export of items that is written in the form of a profile. */
import { FILE_FORMATS } from '../../formats/file-format.js';
import { detectEncoding } from '../../formats/text/detect-encoding.js';
import { isEncodable } from '../../formats/text/text-encoding.js';
import { quoted } from '../../kernel/value-problem.js';
import type { Profile } from '../../profiles/model/profile.js';
import { RowWriter, type WriteLoss } from '../../profiles/row-writer.js';
import { itemCells } from '../items/export-items.js';
import type { ItemCatalog } from '../items/item-catalog.js';
import type { ItemScope } from '../items/item-condition.js';
import type { ExportFormatting, ExportProfile, ItemColumn } from '../model/export-spec.js';
import type { MappedBody, MappedFormat, MappedRows } from '../write/export-body.js';
import { isUnquotedCell } from '../write/mapped-text.js';
import { WriteLosses } from './write-losses.js';

/** A rule that is written, and the column of ours that it fills. */
interface FilledRule {
  readonly rule: Profile['columns'][number];
  readonly column: ItemColumn;
  /** Its cells as the steps of profiles would make them. */
  readonly asMade: (cell: string) => string;
}

/** @throws ExportRefused when the definitions have changed since the request */
export function openMappedRows(
  catalog: ItemCatalog,
  scope: ItemScope,
  { document, columns }: Pick<ExportProfile, 'document' | 'columns'>,
  { format }: Pick<ExportFormatting, 'format'>,
): MappedBody {
  const losses = new WriteLosses();
  const filled: FilledRule[] = [];
  const rules = document.columns.map((rule, index) => {
    const column = columns[index] ?? null;
    if (column !== null) {
      const isBoolean = column.kind === 'attribute' && catalog.attribute(column.attributeId).type === 'BOOLEAN';
      const asMade =
        column.kind === 'category' ? withoutRoot : isBoolean && hasStep(rule, 'boolean') ? inCapitals : asItIs;
      filled.push({ rule, column: asKey(column, catalog), asMade });
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
  const isText = FILE_FORMATS[format].exports === 'table';
  return { ...body, rows: new ProfileRows({ ...document, columns: rules }, filled, losses, isText) };
}

function hasStep({ steps }: FilledRule['rule'], name: 'boolean' | 'date'): boolean {
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
function withoutRoot(path: string): string {
  const below = path.startsWith(ROOT) ? path.slice(ROOT.length) : path;
  return NEEDS_ROOT.test(below) ? path : below;
}

/** The column of the attribute that is the key holds the SKU. */
function asKey(column: ItemColumn, { skuAttributeId }: ItemCatalog): ItemColumn {
  return column.kind === 'attribute' && column.attributeId === skuAttributeId ? { kind: 'sku' } : column;
}

class ProfileRows implements MappedRows {
  readonly header: readonly string[];
  readonly format: MappedFormat;
  count = 0;
  readonly #writer: RowWriter;
  readonly #filled: readonly FilledRule[];
  readonly #losses: WriteLosses;
  readonly #key: number;
  #cells: readonly string[] = [];

  constructor(document: Profile, filled: readonly FilledRule[], losses: WriteLosses, isText: boolean) {
    this.format = formatOf(document);
    this.#filled = filled;
    this.#losses = losses;
    this.#key = filled.findIndex(({ column }) => column.kind === 'sku');
    this.#writer = new RowWriter(document, {
      key: this.#key,
      canWrite: isText ? cellTest(this.format) : () => true,
      // A SKU and a category have no word that clears them.
      clears: (rule) => filled[rule]?.column.kind !== 'sku' && filled[rule]?.column.kind !== 'category',
      onLoss: (loss) => this.#note(loss),
    });
    this.header = this.#writer.header;
  }

  write(cells: readonly (string | null)[]): readonly string[] | null {
    const filled = this.#filled;
    this.#cells = cells.map((cell, index) => (cell === null ? '' : (filled[index]?.asMade(cell) ?? cell)));
    const row = this.#writer.write(this.#cells);
    if (row !== null) this.count += 1;
    return row;
  }

  warnings() {
    return this.#losses.summary();
  }

  #note({ what, rule }: WriteLoss): void {
    const sku = quoted(this.#cells[this.#key] ?? '');
    if (what === 'skipped') {
      this.#losses.add('ITEM_LEFT_OUT', null, null, () => `the item ${sku} is left out by skipRowsWhen of the profile`);
      return;
    }
    const { to = '', steps = [] } = this.#filled[rule]?.rule ?? {};
    const value = quoted(this.#cells[rule] ?? '');
    const by = steps.length === 0 ? 'the rule' : `the steps (${steps.map(({ step }) => step).join(', ')})`;
    if (what === 'cell') {
      const { headerRow, skipFirst } = this.format;
      const row = headerRow + skipFirst + this.count + 1;
      const example = () =>
        `${by} of ${quoted(to ?? '')} cannot make ${value} of any cell of the file: it is left empty`;
      this.#losses.add('CELL_NOT_WRITTEN', to, row, example);
      return;
    }
    const held = this.#cells[rule] === '' ? 'no value' : value;
    const example = () =>
      `the item ${sku} has ${held} in ${quoted(to ?? '')}, and the profile would give it another one: it is left out`;
    this.#losses.add('ITEM_LEFT_OUT', to, null, example);
  }
}

function formatOf({ format }: Pick<Profile, 'format'>): MappedFormat {
  const { encoding, delimiter, quote = '"', headerRow = 1, skipFirst = 0, skipLast = 0, sheet } = format;
  return {
    encoding: detectEncoding(Buffer.alloc(0), encoding).encoding,
    ...{ delimiter, quote, headerRow, skipFirst, skipLast, sheet },
  };
}

function cellTest({ encoding, quote, delimiter }: MappedFormat): (text: string) => boolean {
  return (text) => isEncodable(text, encoding) && (quote !== '' || isUnquotedCell(text, delimiter));
}

/** How the columns of a workbook with items are read. */
import { ATTRIBUTE_TYPES } from '../../catalog/attribute-types.js';
import { TEXT_COLUMN, type WorkbookColumn } from '../../formats/model/workbook-column.js';
import type { ImportOptions } from '../model/import-options.js';
import type { ItemRules } from './item-rules.js';
import type { ItemColumns } from './read/item-columns.js';

export function itemWorkbookColumns(
  { columns }: ItemColumns,
  rules: ItemRules,
  { decimalSeparator = '.' }: Pick<ImportOptions, 'decimalSeparator'>,
): readonly WorkbookColumn[] {
  return columns.map((column) => {
    if (column.kind === 'attribute') return attributeColumn(rules, column.position, decimalSeparator);
    return column.kind === 'ignored'
      ? { ...TEXT_COLUMN, kind: 'other', writeDate: (canonical) => canonical }
      : TEXT_COLUMN;
  });
}

function attributeColumn(rules: ItemRules, position: number, decimalSeparator: '.' | ','): WorkbookColumn {
  const { definition, toText } = rules.attribute(position);
  return ATTRIBUTE_TYPES[definition.type].workbook(definition).column(toText, decimalSeparator);
}

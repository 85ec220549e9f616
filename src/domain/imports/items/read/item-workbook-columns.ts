/** How each column of an item workbook is read: by what its attribute holds. */

import { TEXT_COLUMN, type WorkbookColumn } from '../../../formats/xlsx/rows/workbook-column.js';
import type { ImportOptions } from '../../import-options.js';
import type { ItemRules } from '../item-rules.js';
import type { ItemColumns } from './item-columns.js';

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
  switch (definition.type) {
    case 'TEXT':
      return TEXT_COLUMN;
    case 'DECIMAL':
    case 'INTEGER':
    case 'SERIAL':
      return { kind: 'number', decimalSeparator, writeDate: null };
    case 'DATETIME':
      return { kind: 'other', decimalSeparator: '.', writeDate: toText };
    case 'BOOLEAN':
      return { kind: 'other', decimalSeparator: '.', writeDate: null };
    case 'OPTIONS':
      return definition.optionsType === 'INTEGER' || definition.optionsType === 'DECIMAL'
        ? { kind: 'number', decimalSeparator, writeDate: null }
        : { kind: 'other', decimalSeparator: '.', writeDate: null };
  }
}

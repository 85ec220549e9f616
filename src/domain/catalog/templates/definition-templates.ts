/** The columns of the templates for attributes and for categories. */
import type { XlsxColumn } from '../../formats/xlsx/xlsx-column.js';
import { type AttributeColumn, attributeTemplateHeader, FILE_TYPES } from '../attributes/attribute-columns.js';
import { CATEGORY_COLUMNS } from '../categories/category-columns.js';
import { flagColumn, textColumn } from './template-column.js';

const FLAGS: ReadonlySet<AttributeColumn> = new Set(['Decimal', 'Mandatory', 'Unique', 'Inheritable']);
const NUMBERS: ReadonlySet<AttributeColumn> = new Set(['Increment by', 'Max Length']);

export function attributeTemplateColumns(): XlsxColumn[] {
  return attributeTemplateHeader().map((column) => {
    if (column === 'Attribute Title') return textColumn(column, true);
    if (column === 'Type of Attribute') return textColumn(column, true, FILE_TYPES);
    if (FLAGS.has(column)) return flagColumn(column);
    return NUMBERS.has(column) ? { title: column } : textColumn(column);
  });
}

export function categoryTemplateColumns(): XlsxColumn[] {
  return CATEGORY_COLUMNS.map((column) => {
    switch (column) {
      case 'Category Path':
        return textColumn(column, true);
      case 'Type':
        return textColumn(column, false, ['PRIMARY', 'ALTERNATE']);
      case 'Active':
        return flagColumn(column);
      case 'Order':
        return { title: column };
      default:
        return textColumn(column);
    }
  });
}

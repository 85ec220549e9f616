/** Writes items as columns of a Parquet file: values as they are stored, without what an import needs to read them from text. */
import type { Sql } from '../../../../db/sql.js';
import { sql } from '../../../../db/sql.js';
import type { AttributeDefinition, AttributeTypeName } from '../../catalog/model/attribute-definition.js';
import type { ParquetColumn, ParquetType } from '../../formats/parquet/parquet-column.js';
import type { ItemColumn, ItemFact } from '../model/export-spec.js';
import { UPSERTED } from '../write/operation.js';
import type { ItemCatalog } from './item-catalog.js';
import { cellsQuery, headerOf } from './item-csv.js';
import { factCell } from './item-facts.js';
import { BUNDLE_ITEMS_CELL } from './related-items.js';

const TYPES: Readonly<Record<AttributeTypeName, ParquetType>> = {
  TEXT: 'text',
  INTEGER: 'integer',
  DECIMAL: 'number',
  BOOLEAN: 'boolean',
  DATETIME: 'instant',
  SERIAL: 'integer',
  OPTIONS: 'text',
  URL: 'text',
};

const FACT_TYPES: Partial<Readonly<Record<ItemFact, ParquetType>>> = {
  nodeId: 'integer',
  createdOn: 'instant',
  modifiedOn: 'instant',
};

export function parquetColumn(column: ItemColumn, catalog: ItemCatalog): ParquetColumn {
  return { title: headerOf(column, catalog), type: typeOf(column, catalog) };
}

function typeOf(column: ItemColumn, catalog: ItemCatalog): ParquetType {
  if (column.kind === 'fact') return FACT_TYPES[column.fact] ?? 'text';
  if (column.kind !== 'attribute') return 'text';
  return attributeType(catalog.attribute(column.attributeId));
}

/** Options may be numbers. */
function attributeType({ type, optionsType }: AttributeDefinition): ParquetType {
  return TYPES[type === 'OPTIONS' ? (optionsType ?? type) : type];
}

/** @param rows the subquery that itemRows returns */
export function columnsQuery(rows: Sql, columns: readonly ItemColumn[], catalog: ItemCatalog): Sql {
  return cellsQuery(rows, columns, (column, value) => cellOf(column, value, catalog));
}

function cellOf(column: ItemColumn, value: Sql, catalog: ItemCatalog): Sql {
  switch (column.kind) {
    case 'sku':
      return sql`sku`;
    case 'category':
      return catalog.categoryPath;
    case 'parent':
      return sql`parent_sku`;
    case 'bundleItems':
      return BUNDLE_ITEMS_CELL;
    case 'alternates':
      return catalog.alternateCategories;
    case 'channels':
      return sql`array_to_string(channels, ';')`;
    case 'operation':
      return sql`${UPSERTED}`;
    case 'fact':
      return factCell(column.fact);
    case 'attribute':
      return value;
  }
}

/** The types of attributes as files name them. */
import type { AttributeDefinition, AttributeType, OptionsType, TextSubType } from '../attribute-definition.js';

export const FILE_TYPES = ['SHORT TEXT', 'LONG TEXT', 'HTML', 'NUMBER', 'BOOLEAN', 'DATE', 'SERIAL', 'LOV'] as const;
export type FileType = (typeof FILE_TYPES)[number];

/** What a type and its `Decimal` cell stand for. */
interface TypeFields {
  type: AttributeType;
  textSubType?: TextSubType;
  optionsType?: OptionsType;
}

/** The file type that a cell names, whatever its case and spaces; undefined: none. */
export function fileTypeFrom(text: string): FileType | undefined {
  const name = text.trim().toUpperCase().replace(/\s+/g, ' ');
  return FILE_TYPES.find((type) => type === name);
}

/**
 * NUMBER: DECIMAL, unless `Decimal` says false. LOV: options are text when `Decimal` is empty, whole numbers when it is
 * false, decimals when it is true.
 */
export function typeFieldsOf(fileType: FileType, decimal: boolean | undefined): TypeFields {
  switch (fileType) {
    case 'SHORT TEXT':
      return { type: 'TEXT', textSubType: 'SMALL_TEXT' };
    case 'LONG TEXT':
      return { type: 'TEXT', textSubType: 'TEXT_AREA' };
    case 'HTML':
      return { type: 'TEXT', textSubType: 'HTML' };
    case 'NUMBER':
      return { type: decimal === false ? 'INTEGER' : 'DECIMAL' };
    case 'BOOLEAN':
      return { type: 'BOOLEAN' };
    case 'DATE':
      return { type: 'DATETIME' };
    case 'SERIAL':
      return { type: 'SERIAL' };
    case 'LOV':
      if (decimal === undefined) return { type: 'OPTIONS' };
      return { type: 'OPTIONS', optionsType: decimal ? 'DECIMAL' : 'INTEGER' };
  }
}

/** The inverse: a file's type and what its `Decimal` column says. */
export function fileTypeOf(definition: AttributeDefinition): { fileType: FileType; decimal?: boolean } {
  switch (definition.type) {
    case 'TEXT':
      if (definition.textSubType === 'HTML') return { fileType: 'HTML' };
      return { fileType: definition.textSubType === 'TEXT_AREA' ? 'LONG TEXT' : 'SHORT TEXT' };
    case 'INTEGER':
      return { fileType: 'NUMBER', decimal: false };
    case 'DECIMAL':
      return { fileType: 'NUMBER', decimal: true };
    case 'BOOLEAN':
      return { fileType: 'BOOLEAN' };
    case 'DATETIME':
      return { fileType: 'DATE' };
    case 'SERIAL':
      return { fileType: 'SERIAL' };
    case 'OPTIONS':
      if (definition.optionsType === 'INTEGER') return { fileType: 'LOV', decimal: false };
      return definition.optionsType === 'DECIMAL' ? { fileType: 'LOV', decimal: true } : { fileType: 'LOV' };
  }
}

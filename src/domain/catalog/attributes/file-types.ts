/** The types of attributes as files name them. */
import { ATTRIBUTE_TYPES } from '../attribute-types.js';
import { ATTRIBUTE_TYPE_NAMES, type AttributeTypeName } from '../model/attribute-definition.js';
import type { AttributeType, FileForm } from '../types/attribute-type.js';
import { FILE_TYPES } from './attribute-columns.js';

interface NamedForm {
  readonly type: AttributeTypeName;
  readonly form: FileForm;
}

const FORMS: readonly NamedForm[] = ATTRIBUTE_TYPE_NAMES.flatMap((type) => {
  const { fileForms }: AttributeType = ATTRIBUTE_TYPES[type];
  return fileForms.map((form) => ({ type, form }));
});

/** The file types whose meaning depends on the column `Decimal`. */
export const FILE_TYPES_WITH_DECIMALS: readonly string[] = FILE_TYPES.filter((fileType) =>
  FORMS.some(({ form }) => form.fileType === fileType && form.decimal === true),
);

/** The file type that a cell names, ignoring case and spaces; undefined when it names none. */
export function fileTypeFrom(text: string): string | undefined {
  const name = text.trim().toUpperCase().replace(/\s+/g, ' ');
  return FILE_TYPES.find((type) => type === name);
}

/**
 * What a file type and its `Decimal` cell stand for. NUMBER is DECIMAL unless `Decimal` is false. The options of LOV
 * are text if `Decimal` is empty, whole numbers if it is false, and decimals if it is true.
 * @param fileType one of FILE_TYPES
 */
export function typeNamedBy(fileType: string, decimal: boolean | undefined): NamedForm {
  const named = FORMS.filter(({ form }) => form.fileType === fileType);
  const exact = named.find(({ form }) => form.decimal === decimal);
  const found = exact ?? named.find(({ form }) => form.decimal === undefined);
  if (found === undefined) throw new Error(`no attribute type has the file type ${fileType}`);
  return found;
}

/** All types that a file type may stand for, depending on its `Decimal` cell. */
export function typesNamedBy(fileType: string): readonly AttributeTypeName[] {
  return [...new Set(FORMS.filter(({ form }) => form.fileType === fileType).map(({ type }) => type))];
}

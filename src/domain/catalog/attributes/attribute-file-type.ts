/** The types of attributes as files name them. */
import { ATTRIBUTE_TYPE_NAMES, type AttributeDefinition, type AttributeTypeName } from '../attribute-definition.js';
import { ATTRIBUTE_TYPES } from '../attribute-types.js';
import type { AttributeType, FileForm } from '../types/attribute-type.js';

interface NamedForm {
  readonly type: AttributeTypeName;
  readonly form: FileForm;
}

const FORMS: readonly NamedForm[] = ATTRIBUTE_TYPE_NAMES.flatMap((type) => {
  const { fileForms }: AttributeType = ATTRIBUTE_TYPES[type];
  return fileForms.map((form) => ({ type, form }));
});

/** What a cell `Type of Attribute` can say. */
export const FILE_TYPES: readonly string[] = [...new Set(FORMS.map(({ form }) => form.fileType))];

/** The file types whose meaning depends on the column `Decimal`. */
export const FILE_TYPES_WITH_DECIMALS: readonly string[] = FILE_TYPES.filter((fileType) =>
  FORMS.some(({ form }) => form.fileType === fileType && form.decimal === true),
);

/** The file type that a cell names, whatever its case and spaces; undefined: none. */
export function fileTypeFrom(text: string): string | undefined {
  const name = text.trim().toUpperCase().replace(/\s+/g, ' ');
  return FILE_TYPES.find((type) => type === name);
}

/**
 * What a file type and its `Decimal` cell stand for. NUMBER: DECIMAL, unless `Decimal` says false. LOV: options are text
 * if `Decimal` is empty, whole numbers if it is false, decimals if it is true.
 * @param fileType one of FILE_TYPES
 */
export function typeNamedBy(fileType: string, decimal: boolean | undefined): NamedForm {
  const named = FORMS.filter(({ form }) => form.fileType === fileType);
  const exact = named.find(({ form }) => form.decimal === decimal);
  const found = exact ?? named.find(({ form }) => form.decimal === undefined);
  if (found === undefined) throw new Error(`no attribute type has the file type ${fileType}`);
  return found;
}

/** All types that a file type may stand for, whatever its `Decimal` cell says. */
export function typesNamedBy(fileType: string): readonly AttributeTypeName[] {
  return [...new Set(FORMS.filter(({ form }) => form.fileType === fileType).map(({ type }) => type))];
}

/** How a file names the type of a definition. */
export function fileFormOf(definition: AttributeDefinition): FileForm {
  return ATTRIBUTE_TYPES[definition.type].fileForm(definition);
}

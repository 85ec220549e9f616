/**
 * What an attribute type is: everything that the product knows about one type, in one object. Each type has a file in
 * this folder; ../attribute-types.ts lists them.
 */
import type { Sql } from '../../../../db/sql.js';
import type { RowCode, RowProblem } from '../../kernel/row-problem.js';
import type { Comparison, FilterOperator } from '../../kernel/value-filter.js';
import type { AttributeDefinition, AttributeMapping, AttributeValidation } from '../attribute-definition.js';
import type { ByteEncoder, ValueCodec, ValueFormat } from '../compiled-attribute.js';
import type { AttributeDraft } from './attribute-draft.js';
import type { WorkbookCells } from './workbook-cells.js';

/** The fields of a definition that only some types have. */
export type TypeField = 'textSubType' | 'optionsType' | 'options' | 'serialStart' | 'format';
/** The rules of a validation that only some types have. */
export type TypeRule = 'contains' | 'startWith' | 'incrementBy' | 'range' | 'oneOf' | 'pattern' | 'maxLength';

/** What a definition has because of its type. */
interface TypeSettings {
  readonly fields: Pick<AttributeDefinition, TypeField>;
  readonly rules: Pick<AttributeValidation, TypeRule>;
}

/** A way in which attribute files name a type: what stands in `Type of Attribute` and `Decimal`. */
export interface FileForm {
  readonly fileType: string;
  /** What `Decimal` says; absent: the cell is empty, or says nothing about this file type. */
  readonly decimal?: boolean;
  /** What the two cells say about the definition besides its type. */
  readonly fields?: Pick<AttributeDefinition, 'textSubType' | 'optionsType'>;
  /** Whether the values and the ends of the range are written with the file's decimal separator. */
  readonly numerals?: boolean;
}

interface ExportCellFormat {
  readonly decimalSeparator: '.' | ',';
  /** Dates in ISO 8601, whatever the format of their attribute. */
  readonly isoDates: boolean;
}

export interface ValueFilter {
  readonly operators: readonly FilterOperator[];
  readonly comparison: Comparison;
}

/** How values are written in one kind of file, for people. */
interface ValueForm {
  readonly accepts: string;
  readonly refuses: string;
  /** As Markdown. */
  readonly example: string;
}

/** Values that show what a type accepts: tests hold the type to them, and generate further values from them. */
interface TypeExample {
  /** Fields of the attribute, in the form in which a bulk request carries them. */
  readonly definition: AttributeDraft;
  /** Cell of a CSV file → its canonical JSON. */
  readonly cells: Readonly<Record<string, string>>;
  /** Cell of a CSV file → why it is refused. */
  readonly refusedCells: Readonly<Record<string, RowCode>>;
  /** Values of JSON files that are stored. */
  readonly values: readonly (string | number | boolean)[];
  readonly refusedValues: readonly unknown[];
}

export interface AttributeType {
  /** One sentence about the values, for the documentation. */
  readonly summary: string;

  /** The parts of a definition that belong to this type, besides those that belong to all. */
  readonly fields: readonly TypeField[];
  readonly rules: readonly TypeRule[];
  /**
   * Checks the type's own parts of a definition and brings them to one form: defaults are written out, and what is not
   * given is absent.
   * @param problems is appended to; `column` of each names the field
   */
  readonly settle: (draft: AttributeDraft, problems: RowProblem[]) => TypeSettings;
  /** The mappings that an attribute of this type can have. */
  readonly mappings: readonly AttributeMapping[];
  /** Whether a new item that has no value is given the next number. */
  readonly numbersItems: boolean;

  /** Every way in which attribute files name this type. */
  readonly fileForms: readonly FileForm[];
  /** The way in which an export writes a definition: one of `fileForms`. */
  readonly fileForm: (definition: AttributeDefinition) => FileForm;

  /** Reads and writes values. @throws Error when a rule of the definition does not compile */
  readonly codec: (definition: AttributeDefinition, format: ValueFormat) => ValueCodec;
  /** The fast path; null: all values are read by the codec. Chosen once for each column. */
  readonly encoder: (definition: AttributeDefinition, format: ValueFormat) => ByteEncoder | null;
  /** The JSON token whose inner bytes the encoder reads. */
  readonly jsonToken: 'text' | 'number' | 'word';

  /**
   * The cell of a CSV file that `codec.fromText` reads back.
   * @param value the stored value as text (`->>`), evaluated more than once: name a column
   */
  readonly exportCell: (definition: AttributeDefinition, value: Sql, format: ExportCellFormat) => Sql;
  /** Whether the text of a stored value (`->>`) is its JSON. */
  readonly storesBareJson: boolean;
  /** Whether values are whatever people typed, so that a cell may look like a formula. */
  readonly isFreeText: boolean;

  /** How cells of workbooks are read and written. */
  readonly workbook: (definition: AttributeDefinition) => WorkbookCells;
  /** The list that a template offers in each cell; undefined: none. */
  readonly choices: (definition: AttributeDefinition) => readonly (string | number)[] | undefined;

  readonly filter: (definition: AttributeDefinition) => ValueFilter;
  /** A stored value as SQL (text or NULL) in a form that can be compared in this way. */
  readonly comparable: (stored: Sql, comparison: Comparison) => Sql;

  readonly forms: { readonly csv: ValueForm; readonly workbook: ValueForm; readonly json: ValueForm };
  /** At least one. */
  readonly examples: readonly TypeExample[];
}

/**
 * What an attribute type is: everything that the product knows about one type, in one object. Each type has a file in
 * this folder; ../attribute-types.ts lists them.
 */
import type { Sql } from '../../../../db/sql.js';
import type { RowCode, RowProblem } from '../../kernel/row-problem.js';
import type { Comparison, FilterOperator } from '../../kernel/value-filter.js';
import type { AttributeDefinition, AttributeMapping, AttributeValidation } from '../model/attribute-definition.js';
import type { ByteEncoder, ValueCodec, ValueFormat } from '../model/compiled-attribute.js';
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

/** One way in which attribute files name a type: the contents of the cells `Type of Attribute` and `Decimal`. */
export interface FileForm {
  readonly fileType: string;
  /** The value of `Decimal`; absent when the cell is empty or does not matter for this file type. */
  readonly decimal?: boolean;
  /** What the two cells define besides the type. */
  readonly fields?: Pick<AttributeDefinition, 'textSubType' | 'optionsType'>;
  /** Whether the values and the limits of the range are written with the file's decimal separator. */
  readonly numerals?: boolean;
}

interface ExportCellFormat {
  readonly decimalSeparator: '.' | ',';
  /** Whether dates are written in ISO 8601, whatever the format of their attribute. */
  readonly isoDates: boolean;
}

export interface ValueFilter {
  readonly operators: readonly FilterOperator[];
  readonly comparison: Comparison;
}

/** How values are written in one file format, for the documentation. */
interface ValueForm {
  readonly accepts: string;
  readonly refuses: string;
  /** The example is Markdown. */
  readonly example: string;
}

/** Values that show what a type accepts. Tests check the type against them and generate further values from them. */
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
   * Checks the type's own parts of a definition and returns them in canonical form: defaults are filled in, and parts
   * that are not given are absent.
   * @param problems receives the problems; `column` of each names the field
   */
  readonly resolve: (draft: AttributeDraft, problems: RowProblem[]) => TypeSettings;
  /** The mappings that an attribute of this type can have. */
  readonly mappings: readonly AttributeMapping[];
  /** A new item that has no value is given the next number. */
  readonly numbersItems?: true;

  /** Every way in which attribute files name this type. */
  readonly fileForms: readonly FileForm[];
  /** The way in which an export writes a definition: one of `fileForms`. */
  readonly fileForm: (definition: AttributeDefinition) => FileForm;

  /** Reads and writes values. @throws Error when a rule of the definition does not compile */
  readonly codec: (definition: AttributeDefinition, format: ValueFormat) => ValueCodec;
  /** The encoder of the fast path, chosen once for each column; null when the codec reads all values. */
  readonly encoder: (definition: AttributeDefinition, format: ValueFormat) => ByteEncoder | null;
  /** The JSON tokens whose inner bytes the encoder reads: those that `codec.fromJson` accepts. */
  readonly jsonTokens: readonly ('text' | 'number' | 'word')[];

  /**
   * The cell of a CSV file that `codec.fromText` reads back.
   * @param value the stored value as text (`->>`); it is evaluated more than once, so pass a column
   */
  readonly exportCell: (definition: AttributeDefinition, value: Sql, format: ExportCellFormat) => Sql;
  /**
   * How values are shown as JSON, in answers and in exports: `bare`, the text of the stored value (`->>`) is its JSON;
   * `quoted`, that text is shown as a JSON text; `stored`, as it is stored.
   */
  readonly jsonForm: 'bare' | 'quoted' | 'stored';
  /** Values are free text, so that a cell may look like a formula. */
  readonly isFreeText?: true;

  /** How cells of workbooks are read and written. */
  readonly workbook: (definition: AttributeDefinition) => WorkbookCells;
  /** The choices that a template offers in each cell; undefined when there are none. */
  readonly choices: (definition: AttributeDefinition) => readonly (string | number)[] | undefined;

  readonly filter: (definition: AttributeDefinition) => ValueFilter;
  /** A stored value as SQL (text or NULL) in the form that the comparison needs. */
  readonly comparable: (stored: Sql, comparison: Comparison) => Sql;

  readonly forms: { readonly csv: ValueForm; readonly workbook: ValueForm; readonly json: ValueForm };
  /** There is at least one. */
  readonly examples: readonly TypeExample[];
}

/** What a row of a nested source is made of: values of JSON, or elements of XML. */
import type { RowProblem } from '../../../kernel/row-problem.js';
import { WrittenNumber } from '../../../kernel/written-number.js';

/** An element of XML that has attributes or children. One with a text alone is the text. */
export class XmlElement {
  /** The text of its own, without blanks at its ends. */
  text = '';
  /** The names of attributes, after an `@`, and of children, in their order. */
  readonly names: string[] = [];
  readonly values: (string | XmlElement)[] = [];
  /** Of each child, how many of the same name stand before it; null: none has a brother of its name. */
  occurrences: number[] | null = null;
}

/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value has members; WrittenNumbers are numbers. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WrittenNumber);
}

/** A row as it was read. */
export interface NestedRow {
  /** Counts from 1; in JSONL, the line. */
  readonly row: number;
  /** An object of JSON or an element of XML; undefined when there is a problem. */
  readonly value: unknown;
  readonly problem: RowProblem | null;
  /** The JSON text of the row, if that was asked for; of a line that cannot be read, the line. */
  readonly text?: string | undefined;
}

/** Rows, as many as are complete. */
export type RowBatches = AsyncGenerator<readonly NestedRow[], void, undefined>;

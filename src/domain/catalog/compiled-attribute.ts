/** An attribute made ready to read and write millions of values. */

import type { ValueProblem } from '../kernel/value-problem.js';
import type { AttributeDefinition } from './attribute-definition.js';

/** How a job's files write numbers and dates. */
export interface ValueFormat {
  decimalSeparator: '.' | ',';
  /** Read by DATETIME attributes that have no `format` of their own, as `dd.MM.yyyy`. ISO 8601 when absent. */
  dateFormat?: string | undefined;
}

/**
 * How values of one type are read and written.
 *
 * `fromText` and `fromJson` answer the value's canonical JSON text, so that a writer can join documents without
 * building objects, or the problem (`typeof result === 'string'` tells which). The caller has dealt with what is no
 * value before: empty cells, `NULL`, JSON null and empty JSON text.
 */
export interface ValueCodec {
  /** Reads a cell of a file. */
  readonly fromText: (text: string) => string | ValueProblem;
  /** Reads a parsed JSON value. For every canonical text x: `fromJson(JSON.parse(x)) === x`. */
  readonly fromJson: (value: unknown) => string | ValueProblem;
  /** Writes a stored value (parsed from its JSON) into a cell that `fromText` reads back to the same. */
  readonly toText: (value: unknown) => string;
}

export interface CompiledAttribute extends ValueCodec {
  readonly definition: AttributeDefinition;
  /** The key of the value in an item's document as JSON text: the attribute's id, so that a rename touches no item. */
  readonly jsonKey: string;
}

/**
 * The fast path of an attribute type: values from the bytes of a cell straight into a document, without a string in
 * between. An encoder accepts only what is plainly valid, and plain ASCII but for options; everything else it leaves to
 * the type's codec, which decides.
 *
 * Writes the canonical JSON of the cell `source[start..end)` at `at`; the cell is not empty.
 * @returns where it ends in `target`, at most end - start + 2 bytes on; -1: left to the codec
 */
export type ByteEncoder = (source: Buffer, start: number, end: number, target: Buffer, at: number) => number;

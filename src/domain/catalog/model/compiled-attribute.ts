/** An attribute compiled into functions that read and write millions of values. */
import type { ValueProblem } from '../../kernel/value-problem.js';
import type { AttributeDefinition } from './attribute-definition.js';

/** How a job's files write numbers and dates. */
export interface ValueFormat {
  decimalSeparator: '.' | ',';
  /**
   * The format for DATETIME attributes that have no `format` of their own, such as `dd.MM.yyyy`. ISO 8601 when absent.
   */
  dateFormat?: string | undefined;
  /** Limits what the patterns of all values of one row cost. Default: each value has a limit of its own. */
  patternWork?: PatternWork | undefined;
}

/** The work of matching patterns, in units that are the same on every machine: pattern size × characters of the text. */
export class PatternWork {
  /** The most units of one row; a unit takes up to about half a microsecond. */
  static readonly MAX_UNITS = 1_000_000;
  #units = 0;

  /** Call it before each row. */
  reset(): void {
    this.#units = 0;
  }

  /** @returns false when the row would cost too much; the work is then not to be done. */
  spend(units: number): boolean {
    if (this.#units + units > PatternWork.MAX_UNITS) return false;
    this.#units += units;
    return true;
  }
}

/**
 * How values of one type are read and written.
 *
 * `fromText` and `fromJson` return the value's canonical JSON text, so that a writer can join documents without
 * building objects, or the problem (test `typeof result === 'string'`). The caller handles inputs without a value
 * first: empty cells, `NULL`, JSON null and empty JSON text.
 */
export interface ValueCodec {
  /** Reads a cell of a file. */
  readonly fromText: (text: string) => string | ValueProblem;
  /** Reads a parsed JSON value. For every canonical text x: `fromJson(JSON.parse(x)) === x`. */
  readonly fromJson: (value: unknown) => string | ValueProblem;
  /** Writes a stored value (parsed from its JSON) into a cell that `fromText` reads back as the same value. */
  readonly toText: (value: unknown) => string;
  /** Absent: the texts of this codec have one meaning. */
  readonly doubt?: Doubt | undefined;
}

/**
 * Which texts may mean something else than what they were read as. They are worth a warning where other texts of the
 * same input show that it is written in that other way, and these were refused; and where no text of the column shows
 * that it is not.
 */
export interface Doubt {
  readonly about: 'NUMBER' | 'DATE';
  /** Whether a text that was read is ambiguous. @param json what it was read as */
  readonly isAmbiguous: (text: string, json: string) => boolean;
  /** Whether a text that was read can be read in one way only, and so decides how its column is meant. */
  readonly isDecisive: (text: string, json: string) => boolean;
  /** Whether a text that was refused shows the other way of writing. */
  readonly isContrary: (text: string) => boolean;
}

export interface CompiledAttribute extends ValueCodec {
  readonly definition: AttributeDefinition;
  /** The key of the value in an item's document as JSON text: the attribute's id, so that a rename changes no item. */
  readonly jsonKey: string;
  /** Whether any text is a value, so that it may be one that was read in a wrong encoding. */
  readonly isOpenText: boolean;
}

/**
 * The fast path of an attribute type: copies a value from the bytes of a cell into a document without creating a
 * string. An encoder accepts only obviously valid values, which are ASCII except for options; it leaves everything else
 * to the type's codec, which decides.
 *
 * Writes the canonical JSON of the cell `source[start..end)` at `at`; the cell is not empty.
 * @returns where the JSON ends in `target`, at most end - start + 2 bytes after `at`; -1 when the codec must read the
 *   cell
 */
export type ByteEncoder = (source: Buffer, start: number, end: number, target: Buffer, at: number) => number;

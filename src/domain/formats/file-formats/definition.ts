/** The definition of a file format. Each format has one file in this folder, and one line in `file-format.ts`. */
import type { FormatReading } from '../model/source-format.js';

/** The options of an import that only some formats have. */
export const FORMAT_OPTIONS = [
  'delimiter',
  'decimalSeparator',
  'dateFormat',
  'encoding',
  'sheet',
  'escapeFormulas',
] as const;
export type FormatOption = (typeof FORMAT_OPTIONS)[number];

export interface FormatDefinition extends FormatReading {
  /** The endings of file names, in lower case and without a dot; files that we write have the first. */
  readonly extensions: readonly [string, ...string[]];
  readonly mediaType: string;
  /** Whether a file of the format has no columns of ours, so that it can be imported by a profile alone. */
  readonly needsProfile: boolean;
  /** The options of an import that the format has. JSON has dates in ISO 8601 and numbers of its own. */
  readonly options: readonly FormatOption[];
  /** How an export is written in the format; null when it cannot be exported. */
  readonly exports: 'table' | 'lines' | 'workbook' | null;
}

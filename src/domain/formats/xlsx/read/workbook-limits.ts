/** The limits that keep a hostile or broken workbook from costing more than it should. */

const MIB = 1024 * 1024;

export interface WorkbookLimits {
  /** Files within the archive. */
  readonly maxEntries: number;
  /** Bytes of all parts that are read, decompressed. */
  readonly maxExpandedBytes: number;
  /** Bytes of a part after decompression for each byte before it, once it is longer than `ratioFromBytes`. */
  readonly maxExpansionRatio: number;
  readonly ratioFromBytes: number;
  /** Bytes of XML without a tag in between: a text, or a tag itself. */
  readonly maxTokenBytes: number;
  /** How deep elements may nest. */
  readonly maxDepth: number;
  readonly maxSheets: number;
  readonly maxStyles: number;
  readonly maxSharedStrings: number;
}

export const WORKBOOK_LIMITS: WorkbookLimits = {
  maxEntries: 10_000,
  maxExpandedBytes: 8_192 * MIB,
  maxExpansionRatio: 200,
  ratioFromBytes: 32 * MIB,
  maxTokenBytes: 4 * MIB,
  maxDepth: 64,
  maxSheets: 10_000,
  maxStyles: 100_000,
  maxSharedStrings: 50_000_000,
};

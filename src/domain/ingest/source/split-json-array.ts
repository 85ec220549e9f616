/** Finds the elements of a JSON array held in memory, so that each can be parsed, and can fail, alone. */

/** Byte ranges of the elements: element i is bytes start[i] to end[i], exclusive. */
export interface JsonElementRanges {
  readonly start: number[];
  readonly end: number[];
  readonly count: number;
}

export interface JsonArrayLimits {
  readonly maxElements: number;
  /** The outermost array included. */
  readonly maxDepth: number;
}

export function splitJsonArray(_bytes: Buffer, _limits: JsonArrayLimits): JsonElementRanges {
  throw new Error('splitJsonArray is being written');
}

/** What the values of a column look like when they are divided by a separator: a list, a path, or prose. */
import { partsOf, type Separator } from './separators.js';

/** A part of a list or path is no sentence. */
const MAX_PART = 60;
const MAX_PART_WORDS = 6;

export interface SampledValue {
  readonly text: string;
  readonly row: number;
}

export interface DividedValues {
  readonly separator: Separator;
  /** Values with at least two parts. */
  readonly divided: readonly SampledValue[];
  /** Of the parts of these, the share that is short and not empty. */
  readonly shortShare: number;
  /** The share of all parts that occur in another value too. */
  readonly reuse: number;
  /** Of the parts that occur in several values: the share that always has one depth and one parent. */
  readonly treeShare: number;
  /** How many parts that share is of. */
  readonly treeEvidence: number;
  /** The most parts of a value. */
  readonly depth: number;
}

interface Part {
  count: number;
  depth: number;
  parent: string;
  isSteady: boolean;
}

/** Divides a sample of different values. */
export function divideValues(values: readonly SampledValue[], separator: Separator): DividedValues {
  const parts = new Map<string, Part>();
  const divided: SampledValue[] = [];
  let all = 0;
  let short = 0;
  let deepest = 0;
  for (const value of values) {
    const pieces = partsOf(value.text, separator.sign);
    if (pieces.length === 0) continue;
    if (pieces.length > 1) divided.push(value);
    deepest = Math.max(deepest, pieces.length);
    for (const [depth, piece] of pieces.entries()) {
      if (pieces.length > 1) {
        all += 1;
        if (isShort(piece)) short += 1;
      }
      addPart(parts, piece, depth, depth === 0 ? '' : (pieces[depth - 1] as string));
    }
  }
  const repeated = [...parts.values()].filter(({ count }) => count > 1);
  const occurrences = [...parts.values()].reduce((sum, { count }) => sum + count, 0);
  return {
    separator,
    divided,
    shortShare: all === 0 ? 0 : short / all,
    reuse: occurrences === 0 ? 0 : repeated.reduce((sum, { count }) => sum + count, 0) / occurrences,
    treeShare: repeated.length === 0 ? 1 : repeated.filter(({ isSteady }) => isSteady).length / repeated.length,
    treeEvidence: repeated.length,
    depth: deepest,
  };
}

function addPart(parts: Map<string, Part>, text: string, depth: number, parent: string): void {
  const known = parts.get(text);
  if (known === undefined) parts.set(text, { count: 1, depth, parent, isSteady: true });
  else {
    known.count += 1;
    if (known.depth !== depth || known.parent !== parent) known.isSteady = false;
  }
}

function isShort(part: string): boolean {
  if (part === '' || part.length > MAX_PART) return false;
  return part.split(/\s+/).length <= MAX_PART_WORDS && !/[.!?]$/.test(part);
}

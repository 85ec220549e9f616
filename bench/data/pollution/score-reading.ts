/**
 * Compares what a reader makes of a file with what the file holds, by the measures of the Pollock benchmark: whether it was
 * read at all, and precision, recall and their harmonic mean of the header's cells, of the records, and of all cells. Their
 * sum is the score, from 0 to 10.
 */
import type { PollutedFile } from './polluted-files.js';

/** What a reader made of a file. */
export interface Reading {
  readonly header: readonly string[];
  readonly records: readonly (readonly string[])[];
}

const BEST_SCORE = 10;

/** @param reading null: the reader refused the file */
export function scoreReading(file: PollutedFile, reading: Reading | null): number {
  // There is nothing to read in a file without a header and records: to say so is right.
  if (file.header.length === 0 && file.records.length === 0) {
    return reading === null || (cellsOf(reading.records).length === 0 && reading.header.length === 0) ? BEST_SCORE : 0;
  }
  if (reading === null) return 0;
  return (
    1 +
    likeness(cellsOf([file.header]), cellsOf([reading.header])) +
    likeness(recordsOf(file.records), recordsOf(reading.records)) +
    likeness(cellsOf(file.records), cellsOf(reading.records))
  );
}

/** Empty cells do not count, and blanks around others neither: some readers fill short rows, and some trim. */
function cellsOf(rows: readonly (readonly string[])[]): string[] {
  return rows.flatMap((row) => row.map((cell) => cell.trim()).filter((cell) => cell !== ''));
}

/** A record is compared as a whole, by its cells one after another. */
function recordsOf(rows: readonly (readonly string[])[]): string[] {
  return rows.map((row) => row.map((cell) => cell.trim()).join('')).filter((text) => text !== '');
}

/** Precision, recall and their harmonic mean, added. */
function likeness(expected: readonly string[], found: readonly string[]): number {
  if (expected.length === 0) return 3;
  const left = new Map<string, number>();
  for (const text of expected) left.set(text, (left.get(text) ?? 0) + 1);
  let common = 0;
  for (const text of found) {
    const count = left.get(text) ?? 0;
    if (count === 0) continue;
    left.set(text, count - 1);
    common += 1;
  }
  if (common === 0) return 0;
  const precision = common / found.length;
  const recall = common / expected.length;
  return precision + recall + (2 * precision * recall) / (precision + recall);
}

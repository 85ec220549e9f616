/** How well polluted files are read by what their inspections say, beside other readers of the same files. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atLeast, type BenchmarkOptions, type BenchmarkResult } from '../../benchmark.js';
import { type PollutedFile, pollutedFiles } from '../../data/pollution/polluted-files.js';
import { readPolluted } from '../../data/pollution/read-polluted.js';
import { type Reading, scoreReading } from '../../data/pollution/score-reading.js';
import { resultOf } from '../../measure/result.js';
import { CSV_READERS } from '../../reference/csv-readers.js';

const QUICK_FILES_OF_KIND = 2;

interface Reader {
  readonly name: string;
  /** By file. */
  readonly scores: readonly number[];
}

export async function scorePollution(options: BenchmarkOptions): Promise<BenchmarkResult[]> {
  const files = options.quick ? firstOfEachKind(pollutedFiles()) : pollutedFiles();
  const ours: (Reading | null)[] = [];
  for (const { bytes } of files) ours.push(await readPolluted(bytes));
  const inspection = { name: 'inspection', scores: scoresOf(files, ours) };
  const others = await readByOthers(files, options);
  for (const line of linesOf(files, [inspection, ...others])) options.say(`inspect: ${line}`);
  const common = { name: 'inspect polluted', unit: 'of 10', peaks: {} };
  const what = `${files.length} polluted files`;
  if (others.length === 0) {
    return [resultOf(options, { ...common, what, aim: null, figures: [meanOf(inspection.scores)], references: [] })];
  }
  return others.map(({ name, scores }) =>
    resultOf(options, {
      ...{ ...common, what: `${what}, beside ${name}`, aim: atLeast(1) },
      ...{ figures: [meanOf(inspection.scores)], references: [meanOf(scores)] },
    }),
  );
}

function firstOfEachKind(files: readonly PollutedFile[]): PollutedFile[] {
  const counts = new Map<string, number>();
  return files.filter(({ kind }) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return count <= QUICK_FILES_OF_KIND;
  });
}

async function readByOthers(files: readonly PollutedFile[], { say }: BenchmarkOptions): Promise<Reader[]> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-polluted-'));
  try {
    const written = files.map((file, index) => ({ ...file, path: join(folder, `${index}.csv`) }));
    for (const { path, bytes } of written) await writeFile(path, bytes);
    return CSV_READERS.flatMap(({ name, needs, read }) => {
      const readings = read(written);
      if (readings !== null) return [{ name, scores: scoresOf(files, readings) }];
      say(`inspect: ${name} is left out, because this machine has no ${needs}`);
      return [];
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

function scoresOf(files: readonly PollutedFile[], readings: readonly (Reading | null)[]): number[] {
  return files.map((file, index) => scoreReading(file, readings[index] ?? null));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** A line for each kind, and one for all. */
function linesOf(files: readonly PollutedFile[], readers: readonly Reader[]): string[] {
  const kinds = [...new Set(files.map(({ kind }) => kind))];
  const shown = (scores: readonly number[], isShown: (file: PollutedFile) => boolean) =>
    meanOf(scores.filter((_, index) => isShown(files[index] as PollutedFile))).toFixed(2);
  const line = (title: string, isShown: (file: PollutedFile) => boolean) =>
    `${title}: ${readers.map(({ name, scores }) => `${name} ${shown(scores, isShown)}`).join(', ')}`;
  return [
    ...kinds.map((kind) => {
      const isOfKind = (file: PollutedFile) => file.kind === kind;
      return line(`${kind} (${files.filter(isOfKind).length})`, isOfKind);
    }),
    line(`all ${files.length} polluted files`, () => true),
  ];
}

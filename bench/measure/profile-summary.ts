/** Where a CPU profile says the time went, for a terminal. */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The part of a .cpuprofile that is read here. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples?: readonly number[] | undefined;
  /** Microseconds from the sample before. */
  readonly timeDeltas?: readonly number[] | undefined;
}

/** The functions with the most time of their own, a line each: share, milliseconds, name, place. */
export function summariseProfile({ nodes, samples = [], timeDeltas = [] }: CpuProfile, most: number): string[] {
  const placeOf = new Map(nodes.map(({ id, callFrame }) => [id, describe(callFrame)]));
  const microseconds = new Map<string, number>();
  samples.forEach((id, index) => {
    const place = placeOf.get(id) ?? '(unknown)';
    microseconds.set(place, (microseconds.get(place) ?? 0) + (timeDeltas[index] ?? 0));
  });
  const total = [...microseconds.values()].reduce((sum, value) => sum + value, 0);
  return [...microseconds]
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([place, own]) => {
      const share = ((100 * own) / total).toFixed(1).padStart(5);
      return `${share} %  ${String(Math.round(own / 1000)).padStart(6)} ms  ${place}`;
    });
}

function describe({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  if (url === '') return name;
  const bundled = url.startsWith('file://') ? fileURLToPath(url) : url;
  const { path, line } = placeInSource(bundled, lineNumber);
  const short = path.replace(/^.*\/node_modules\//, '').replace(/^.*\/dist\//, '');
  return `${name}  ${short}:${line + 1}`;
}

const maps = new Map<string, SourceMap | undefined>();

/** Where a line of a bundle comes from, by its source map; a line of any other file is where it is. Lines count from 0. */
function placeInSource(path: string, line: number): { path: string; line: number } {
  if (!maps.has(path)) maps.set(path, readMap(`${path}.map`));
  // The first column that is mapped may be behind the indentation.
  const found = maps.get(path)?.findEntry(line, Number.MAX_SAFE_INTEGER);
  if (found === undefined || !('originalSource' in found)) return { path, line };
  return { path: relative('/', resolve(dirname(path), found.originalSource)), line: found.originalLine };
}

function readMap(path: string): SourceMap | undefined {
  return existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : undefined;
}

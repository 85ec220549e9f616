/** Where a CPU profile says the time went, for a terminal. */
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
  const path = url.startsWith('file://') ? fileURLToPath(url) : url;
  const short = path.replace(/^.*\/node_modules\//, '').replace(/^.*\/dist\//, '');
  return `${name}  ${short}:${lineNumber + 1}`;
}

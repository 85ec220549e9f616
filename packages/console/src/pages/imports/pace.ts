/** How fast a job works, and how long it will take, by what it has done within the last seconds. */
import type { Job } from '@longshore/client';
import { useRef } from 'react';

const WINDOW_MS = 15_000;

export interface Pace {
  readonly rowsPerSecond: number;
  readonly leftMs: number | undefined;
}

/** @returns undefined: it has not worked long enough to say */
export function usePace({ id, progressTracker: { processedCount, totalCount } }: Job): Pace | undefined {
  const samples = useRef<{ id: string; at: number; rows: number }[]>([]);
  const now = performance.now();
  const last = samples.current.at(-1);
  if (last?.id !== id) samples.current = [];
  if (last?.rows !== processedCount || last.id !== id) samples.current.push({ id, at: now, rows: processedCount });
  while (samples.current.length > 2 && now - (samples.current[0]?.at ?? now) > WINDOW_MS) samples.current.shift();
  const [first] = samples.current;
  const newest = samples.current.at(-1);
  if (first === undefined || newest === undefined || newest.at - first.at < 500) return undefined;
  const rowsPerSecond = ((newest.rows - first.rows) / (newest.at - first.at)) * 1_000;
  if (rowsPerSecond <= 0) return undefined;
  return {
    rowsPerSecond,
    leftMs: totalCount === null ? undefined : ((totalCount - processedCount) / rowsPerSecond) * 1_000,
  };
}

/** What the figures were measured on. */
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryMb: number;
  readonly system: string;
  readonly node: string;
  readonly measuredAt: string;
  /** Of the minute before: 0 on a machine that has nothing else to do. */
  readonly loadBefore: number;
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryMb: Math.round(totalmem() / 1_000_000),
    system: `${type()} ${release()}`,
    node: process.version,
    measuredAt: new Date().toISOString(),
    loadBefore: loadavg()[0] ?? 0,
  };
}

/** Which system a benchmark runs on: one of its own, or in quick runs the one that all of them share. */
import { watchPeakMemory } from '../measure/peak-memory.js';
import { emptyEverything } from './empty-tables.js';
import { unlessCutShort } from './interruption.js';
import { type OpenWorld, openWorld, type StartOptions, type World } from './start-world.js';

export interface WorldOptions extends StartOptions {
  /** Undefined: a system for each benchmark. */
  readonly shared: SharedWorld | undefined;
}

/** A system that benchmarks use one after another, each on emptied tables. */
export interface SharedWorld {
  use<T>(use: (world: World) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function withWorld<T>(options: WorldOptions, use: (world: World) => Promise<T>): Promise<T> {
  return options.shared === undefined ? withNewWorld(options, use) : options.shared.use(use);
}

/** Starts a system that nothing has run on, lets `use` have it, and leaves nothing behind. @param mayEnd as of unlessCutShort */
export async function withNewWorld<T>(
  options: StartOptions,
  use: (world: World) => Promise<T>,
  mayEnd?: (process: string) => boolean,
): Promise<T> {
  const { world, close } = await openWorld(options);
  try {
    return await unlessCutShort(world.system, () => use(world), mayEnd);
  } finally {
    await close();
  }
}

/** It starts when it is used for the first time. Peaks of memory are those since the present use began. */
export function createSharedWorld(options: StartOptions): SharedWorld {
  let open: OpenWorld | undefined;
  return {
    use: async (use) => {
      if (open === undefined) open = await openWorld(options);
      else await emptyEverything(open.world.db);
      const { world } = open;
      const memory = watchPeakMemory(() => world.system.processes, { fromNow: true });
      try {
        return await unlessCutShort(world.system, () => use({ ...world, memory }));
      } finally {
        memory.stop();
      }
    },
    close: async () => {
      await open?.close();
      open = undefined;
    },
  };
}

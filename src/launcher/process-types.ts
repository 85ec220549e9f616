/** The settings of Node and the C library for each process. A test compares them with the Procfile and package.json. */

/**
 * Makes glibc return freed buffers to the operating system. By default it raises its threshold to the largest buffer
 * that was freed, and keeps smaller ones. Other C libraries ignore these variables.
 */
export const ALLOCATOR = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '65536' } as const;

/** The size of the young generation. The reasons are in platform/small-heap.ts. */
const SMALL_YOUNG_GENERATION = ['--max-semi-space-size=4'] as const;
const YOUNG_GENERATION_OF_ALL_WORK = ['--max-semi-space-size=8'] as const;
const LARGE_YOUNG_GENERATION = ['--max-semi-space-size=16'] as const;

export interface ProcessType {
  /** The path, relative to the folder of the build. */
  readonly program: string;
  /** The group of queues that a worker process serves. Default: all groups. */
  readonly group?: string;
  /** Empty for a process that ends soon, which runs with Node's own settings. */
  readonly nodeFlags: readonly string[];
}

const WORKER = 'app/workers/main.js';

/** All processes, by their names in the Procfile. */
export const PROCESS_TYPES = {
  release: { program: 'app/release/main.js', nodeFlags: [] },
  web: { program: 'app/api/main.js', nodeFlags: SMALL_YOUNG_GENERATION },
  worker: { program: WORKER, nodeFlags: YOUNG_GENERATION_OF_ALL_WORK },
  'webhook-worker': { program: WORKER, group: 'webhook', nodeFlags: LARGE_YOUNG_GENERATION },
  'bulk-worker': { program: WORKER, group: 'bulk', nodeFlags: SMALL_YOUNG_GENERATION },
  'export-worker': { program: WORKER, group: 'export', nodeFlags: SMALL_YOUNG_GENERATION },
  maintenance: { program: WORKER, group: 'maintenance', nodeFlags: SMALL_YOUNG_GENERATION },
} as const satisfies Readonly<Record<string, ProcessType>>;

/** With which settings of Node and of the C library each process runs. The Procfile and package.json say the same; a test sees to it. */

/**
 * Has glibc give buffers back to the system once they are freed, in place of keeping them in pieces between others: by
 * itself it moves its threshold up to the largest buffer it has seen. Other C libraries know neither.
 */
export const ALLOCATOR = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '65536' } as const;

/** A nursery of 4 MB, and of 16 for webhooks alone: platform/small-heap.ts says why. */
const SMALL_NURSERY = ['--max-semi-space-size=4'] as const;
const LARGE_NURSERY = ['--max-semi-space-size=16'] as const;

export interface ProcessType {
  /** From the folder of the build. */
  readonly program: string;
  /** The group of queues that a worker process serves; by default all. */
  readonly group?: string;
  /** Empty: a process that ends soon, which runs with Node's own settings. */
  readonly nodeFlags: readonly string[];
}

const WORKER = 'src/workers/main.js';

/** By their names in the Procfile. */
export const PROCESS_TYPES = {
  release: { program: 'src/release/main.js', nodeFlags: [] },
  web: { program: 'src/api/main.js', nodeFlags: SMALL_NURSERY },
  worker: { program: WORKER, nodeFlags: SMALL_NURSERY },
  'webhook-worker': { program: WORKER, group: 'webhook', nodeFlags: LARGE_NURSERY },
  'bulk-worker': { program: WORKER, group: 'bulk', nodeFlags: SMALL_NURSERY },
  'export-worker': { program: WORKER, group: 'export', nodeFlags: SMALL_NURSERY },
  maintenance: { program: WORKER, group: 'maintenance', nodeFlags: SMALL_NURSERY },
} as const satisfies Readonly<Record<string, ProcessType>>;

/** The faults of a chaos run: which, when, and for how long. The same seed makes the same schedule. */
import { pick, seededRandom } from '../support/models/random.js';

export const BACKENDS = ['pg', 'redis'] as const;
export type ChaosBackend = (typeof BACKENDS)[number];

/** Where the files are. */
export const STORES = ['folder', 's3'] as const;
export type StoreKind = (typeof STORES)[number];

const WORKERS = ['worker-1', 'worker-2'] as const;
export const PROCESSES = ['web', ...WORKERS] as const;
export type ProcessName = (typeof PROCESSES)[number];

type ServerName = 'postgres' | 'redis';
/** What a process has connections to. */
export type Server = ServerName | 's3';

type LineFault = 'drop' | 'delay' | 'half-open' | 'silent';

/** What happens to which part. */
export type FaultKind =
  /** SIGKILL; started again when the fault ends. */
  | { readonly kind: 'kill'; readonly target: ProcessName }
  /** SIGSTOP, of a server with all its processes; SIGCONT when the fault ends. */
  | { readonly kind: 'stop'; readonly target: ProcessName | ServerName }
  /** SIGTERM; started again when it has ended. */
  | { readonly kind: 'restart'; readonly target: ProcessName }
  /** The network between a process and a server. */
  | { readonly kind: LineFault; readonly target: ProcessName; readonly server: Server }
  /** An immediate stop, after which Postgres recovers. */
  | { readonly kind: 'crash'; readonly target: 'postgres' }
  /** Redis is killed, and comes back empty when the fault ends; or it is emptied while it runs. */
  | { readonly kind: 'kill' | 'flush'; readonly target: 'redis' }
  /** The S3 server is killed, and comes back with its data when the fault ends; or it stands still. */
  | { readonly kind: 'kill' | 'stop'; readonly target: 's3' }
  /** The folder of the file store is gone: it cannot be read nor written. An S3 server refuses everything with 503. */
  | { readonly kind: 'away'; readonly target: 'store' }
  /** The disk of the file store, or of the tables, has this much room left: nothing, or less than what is being written. */
  | { readonly kind: 'full'; readonly target: 'store' | 'postgres'; readonly spareKib: number }
  /** Redis has no memory left: it refuses to write. */
  | { readonly kind: 'full'; readonly target: 'redis' };

export type Fault = FaultKind & {
  /** Its number in the schedule, from 1. */
  readonly number: number;
  /** Milliseconds after the beginning of the run. */
  readonly atMs: number;
  /** How long it lasts; 0 for one that happens in a moment. */
  readonly forMs: number;
};

/** Workers do the work; without the only web process nothing is accepted that could be hurt. */
const TARGETS = ['web', ...WORKERS, ...WORKERS] as const satisfies readonly ProcessName[];

/** Time before the first fault, in which jobs are accepted. */
const QUIET_MS = 1_000;
const GAP_MS = { least: 400, most: 2_600 } as const;
/** Restarts of Postgres become slow when they follow each other. */
const BETWEEN_CRASHES_MS = 12_000;

/** Room on a full disk: the second lets a file begin. */
const SPARE_KIB = [0, 8, 32] as const;

/** How often each fault is drawn, relative to the others, and its duration in milliseconds. */
const DURATIONS: Readonly<Record<FaultKind['kind'], readonly [weight: number, least: number, most: number]>> = {
  kill: [5, 100, 1_500],
  // Longer than the lock of a worker, so that its work is given to another one while it is stopped.
  stop: [5, 1_000, 9_000],
  restart: [3, 0, 0],
  drop: [2, 300, 3_000],
  delay: [2, 500, 4_000],
  'half-open': [2, 0, 0],
  silent: [2, 500, 4_000],
  crash: [1, 0, 0],
  flush: [2, 0, 0],
  away: [1, 300, 2_500],
  full: [3, 500, 5_000],
};

/** @param forMs the time in which faults begin */
export function makeSchedule(seed: number, forMs: number, backend: ChaosBackend, store: StoreKind = 'folder'): Fault[] {
  const random = seededRandom(seed);
  const between = (least: number, most: number) => Math.round(least + random() * (most - least));
  const kinds = Object.entries(DURATIONS).flatMap(([kind, [weight]]) => Array<string>(weight).fill(kind));
  const faults: Fault[] = [];
  const busyUntil = new Map<string, number>();
  for (let atMs = QUIET_MS; atMs < forMs; atMs += between(GAP_MS.least, GAP_MS.most)) {
    const drawn = faultOf(pick(random, kinds), random, backend, store);
    if (drawn === undefined) continue;
    // One fault of a part at a time: two would be indistinguishable from one.
    const part = 'server' in drawn ? `${drawn.target}/${drawn.server}` : drawn.target;
    if ((busyUntil.get(part) ?? 0) > atMs) continue;
    const [, least, most] = DURATIONS[drawn.kind];
    const lasts = drawn.kind === 'flush' ? 0 : between(least, most);
    busyUntil.set(part, atMs + (drawn.kind === 'crash' ? BETWEEN_CRASHES_MS : lasts + 500));
    faults.push({ ...drawn, number: faults.length + 1, atMs, forMs: lasts });
  }
  return faults;
}

/** Undefined: the backend has no such part. */
function faultOf(kind: string, random: () => number, backend: ChaosBackend, store: StoreKind): FaultKind | undefined {
  const process = pick(random, TARGETS);
  const engine = backend === 'redis' && random() < 0.5 ? 'redis' : 'postgres';
  const concernsServer = random() < 0.2;
  const concernsS3 = store === 's3' && random() < 0.3;
  const full = pick(
    random,
    backend === 'redis' ? (['store', 'postgres', 'redis'] as const) : (['store', 'postgres'] as const),
  );
  const server = concernsS3 ? 's3' : engine;
  switch (kind) {
    case 'kill':
      if (concernsS3) return { kind, target: 's3' };
      return backend === 'redis' && concernsServer ? { kind, target: 'redis' } : { kind, target: process };
    case 'stop':
      if (concernsS3) return { kind, target: 's3' };
      return { kind, target: concernsServer ? engine : process };
    case 'restart':
      return { kind, target: process };
    case 'drop':
    case 'delay':
    case 'half-open':
    case 'silent':
      return { kind, target: process, server };
    case 'crash':
      return { kind, target: 'postgres' };
    case 'flush':
      return backend === 'redis' ? { kind, target: 'redis' } : undefined;
    case 'away':
      return { kind, target: 'store' };
    case 'full':
      return full === 'redis' ? { kind, target: full } : { kind, target: full, spareKib: pick(random, SPARE_KIB) };
    default:
      throw new Error(`there is no fault "${kind}"`);
  }
}

/** A fault in words, for the story of a run. */
export function describeFault(fault: FaultKind, store: StoreKind = 'folder'): string {
  switch (fault.kind) {
    case 'kill':
      return `SIGKILL of ${fault.target}`;
    case 'stop':
      return `SIGSTOP of ${fault.target}`;
    case 'restart':
      return `SIGTERM of ${fault.target}, which is started again`;
    case 'drop':
      return `${fault.target} is cut off from ${fault.server}`;
    case 'delay':
      return `packets between ${fault.target} and ${fault.server} are late`;
    case 'half-open':
      return `the open connections of ${fault.target} to ${fault.server} go silent`;
    case 'silent':
      return `nothing arrives between ${fault.target} and ${fault.server}`;
    case 'crash':
      return 'immediate stop of postgres, which recovers';
    case 'flush':
      return 'redis is emptied';
    case 'away':
      return store === 's3' ? 's3 refuses every request with 503' : 'the folder of the file store is gone';
    case 'full':
      if (fault.target === 'redis') return 'redis has no memory left';
      return `the disk of ${fault.target === 'postgres' ? 'postgres' : store === 's3' ? 's3' : 'the file store'} is full, but for ${fault.spareKib} KiB`;
  }
}

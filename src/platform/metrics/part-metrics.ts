/** The metrics of the parts of the system, as readiness finds them. */
import type { Instruments } from './instruments.js';

/** The states of parts, as the metric has them. */
const PART_STATUS = { ok: 0, degraded: 1, down: 2 } as const;

/** What readiness says of a part. */
export interface PartFound {
  readonly status: keyof typeof PART_STATUS;
  /** What to do; one of few texts. */
  readonly cure?: string | undefined;
}

/** Has readiness say how the parts of the system are. */
export function watchParts(instruments: Instruments, parts: () => Readonly<Record<string, PartFound>>): void {
  const gauge = instruments.gauge(
    'longshore_part_status',
    'The parts that readiness tries, as this web process finds them: 0 ok, 1 degraded, 2 down, and then with its cure',
    ['part', 'cure'],
    () => {
      gauge.reset();
      for (const [part, { status, cure = '' }] of Object.entries(parts())) {
        gauge.set({ part, cure }, PART_STATUS[status]);
      }
    },
  );
}

/** What the reconciler of jobs asks of the queue. */
import type { Db } from '../../../../../db/connection.js';
import type { Logger } from '../../../../platform/logger.js';
import type { Metrics } from '../../../../platform/metrics.js';
import type { JobOutboxEntry, OutboxEntry } from '../../../../queues/outbox.js';

export interface QueueOfSteps {
  readonly db: Db;
  readonly logger: Logger;
  readonly metrics?: Pick<Metrics, 'rescued'> | undefined;
  /** Whether the queue will still run this entry, or is running it. */
  readonly isPending: (entry: JobOutboxEntry) => Promise<boolean>;
  /** When the oldest queue job of small jobs was enqueued that is waiting or running; null when there is none. */
  readonly oldestOfSmallJobs: () => Promise<Date | null>;
  readonly send: (entries: readonly OutboxEntry[]) => Promise<void>;
  /** Is called whenever the queue or the database has answered. */
  readonly progress: () => void;
}

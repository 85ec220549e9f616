/** How the processes of a chaos run are configured. */

/** Locks and schedules so short that a run of a minute sees all of them expire. */
export const SETTINGS = {
  SECRETS_KEY: 'a-key-for-chaos-only-of-enough-characters',
  LOG_LEVEL: 'info',
  WORKER_LOCK_MS: '5000',
  WORKER_STALLED_MS: '1000',
  RECONCILE_MS: '250',
  RECONCILE_GRACE_MS: '3000',
  // Small files have many chunks.
  WORKER_CHUNK_ROWS: '12',
  // So few that the number of requests in flight says something about those that were received twice.
  WORKER_DELIVERY_CONCURRENCY: '20',
  SHUTDOWN_GRACE_MS: '6000',
  DATABASE_SILENCE_MS: '4000',
  WEBHOOK_SCHEDULE_SECONDS: '0,0.5,0.5,1,1',
  WEBHOOK_BREAKER_SECONDS: '1',
  WEBHOOK_TIMEOUT_SECONDS: '15',
  // Work is accepted until the disk is full, and meets that in the middle of a file.
  STORAGE_RESERVE_MB: '0',
} as const;

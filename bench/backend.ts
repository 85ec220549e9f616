/** The engine of the queues that a benchmark runs on. */

export const BACKENDS = ['pg', 'redis'] as const;
export type Backend = (typeof BACKENDS)[number];

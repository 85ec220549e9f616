/** How a queue is declared: once, typed to its producer and its handler. */
import type { z } from 'zod';

/** What survives JSON: anything else in a payload's schema does not compile. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

/** Which kind of worker process serves a queue. */
export type QueueGroup = 'bulk' | 'export' | 'webhook';

export interface QueueContract<Payload> {
  readonly name: string;
  readonly group: QueueGroup;
  readonly payload: z.ZodType<Payload>;
  /** The BullMQ job id: the row's id and its dispatch number, so that a kept job never swallows a later one. */
  readonly jobId: (payload: Payload) => string;
}

/** Payload of a contract. */
export type PayloadOf<Contract> = Contract extends QueueContract<infer Payload> ? Payload : never;

/** Declares a queue. `payload` may hold only what survives JSON. */
export function defineQueue<Payload extends Json>(contract: QueueContract<Payload>): QueueContract<Payload> {
  return contract;
}

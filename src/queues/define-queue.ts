/** Declares a queue: its producer and its handler share one typed contract. */
import { z } from 'zod';

/** Values that JSON preserves: anything else in a payload's schema does not compile. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

/** The group of worker processes that serves a queue. */
export type QueueGroup = 'bulk' | 'export' | 'webhook';

export interface QueueContract<Payload> {
  readonly name: string;
  readonly group: QueueGroup;
  readonly payload: z.ZodType<Payload>;
  /** The BullMQ job id: the row's id and its fencing token, so that a kept job never prevents a later one. */
  readonly jobId: (payload: Payload) => string;
  /** Puts payloads that are enqueued at the same time into fewer queue jobs. */
  readonly merge?: (payloads: readonly Payload[]) => Payload[];
}

/** The payload of a contract. */
export type PayloadOf<Contract> = Contract extends QueueContract<infer Payload> ? Payload : never;

/** A member of the payloads of steps: the step may have ended a worker process, so it runs in a process of its own. */
export const SUSPICION = { suspect: z.literal(true).optional() };

const STEP = z.object({
  jobId: z.string(),
  /** Fencing token: a step with another token than the row is refused. */
  dispatch: z.int(),
  ...SUSPICION,
});

/** The payload of one step of a job. */
export type StepPayload = Readonly<z.output<typeof STEP>>;

/** Declares a queue. `payload` may contain only values that JSON preserves. */
export function defineQueue<Payload extends Json>(contract: QueueContract<Payload>): QueueContract<Payload> {
  return contract;
}

/** Declares a queue of steps. @param prefix of its BullMQ job ids, which tells them from those of other steps */
export function defineStepQueue(name: string, group: QueueGroup, prefix: string): QueueContract<StepPayload> {
  return defineQueue({ name, group, payload: STEP, jobId: ({ jobId, dispatch }) => `${prefix}_${jobId}_${dispatch}` });
}

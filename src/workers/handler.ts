/** What a queue's handler is: the work, and what becomes of it when it fails. */
import type { HandlerServices, WorkerServices } from './context.js';

/** Functions, not methods: TypeScript would let the method of another queue's handler pass. */
export interface Handler<Payload, Services = WorkerServices> {
  /**
   * `run` ends by itself soon after the signal, so that it is waited for; it does not stop when the lock is lost, and
   * a start is none of its attempts.
   */
  readonly mindsSignal?: true;
  /**
   * Does the work of one job. Safe to run twice, and twice at once: the rows carry the fence.
   * @param signal fires when the process shuts down or the job's lock is lost
   */
  readonly run: (services: Services, payload: Payload, signal: AbortSignal) => Promise<void>;
  /** Records that `run` threw, and has it tried again or given up. */
  readonly failed: (services: Services, payload: Payload, error: unknown) => Promise<void>;
}

/** The handler that a contract asks for. */
export type HandlerOf<Contract> = Contract extends { readonly payload: { readonly _output: infer Payload } }
  ? Handler<Payload, HandlerServices>
  : never;

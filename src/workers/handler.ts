/** Defines what a queue's handler is: the work, and what happens when it fails. */
import type { planFileJob } from '../domain/imports/plan-file-job.js';
import type { ROWS_OF_JOBS } from '../domain/imports/rows-of-jobs.js';
import type { Failure } from '../domain/jobs/model/failure.js';
import type { OutboxEntry } from '../queues/outbox.js';
import type * as afterStep from './after-step.js';
import type { HandlerServices, WorkerServices } from './context.js';

/** What a handler is given of that which follows a step: see after-step.ts. */
export type AfterStep = typeof afterStep;

/** What the handlers of steps of imports are given of the rows of jobs. */
export type RowsOfJobs = typeof ROWS_OF_JOBS;

/** Finds the chunks of the job of a file. The handler that begins jobs is given it. */
export type PlanFile = typeof planFileJob;

/** Runs committed steps that would else be enqueued: see inline-execution.ts. */
export type RunInline = (
  services: WorkerServices,
  outboxEntries: readonly OutboxEntry[],
  signal: AbortSignal,
) => Promise<void>;

/** Functions, not methods: TypeScript would accept methods with the payload of another queue. */
export interface Handler<Payload, Services = WorkerServices> {
  /**
   * `run` returns soon after the signal, so the worker waits for it. It continues when the lock of the job is lost, and
   * is never executed in a process of its own.
   */
  readonly handlesSignal?: true;
  /** Present for steps of a job: its id. When the job is cancelled, the signal aborts, and the step counts as done. */
  readonly jobOf?: (payload: Payload) => string;
  /** Records that a worker was lost during the step, so that it stays suspect, whatever queue job it gets. */
  readonly suspected?: (services: Services, payload: Payload) => Promise<void>;
  /**
   * Does the work of one job. Safe to run twice, even at the same time: the rows have fencing tokens.
   * @param signal aborts when the process shuts down, the job's lock is lost, or the job of the step is cancelled
   */
  readonly run: (services: Services, payload: Payload, signal: AbortSignal) => Promise<void>;
  /**
   * Records that `run` threw, or ended its process: the work is retried, or has failed permanently.
   * @param failure what `error` means; absent: an internal error
   * @returns 'permanently' when the job of the step has failed with it
   */
  readonly failed: (
    services: Services,
    payload: Payload,
    error: unknown,
    failure?: Failure,
  ) => Promise<'permanently' | undefined>;
}

/** The type of handler that a contract requires. */
export type HandlerOf<Contract> = Contract extends { readonly payload: { readonly _output: infer Payload } }
  ? Handler<Payload, HandlerServices>
  : never;

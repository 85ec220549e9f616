/** The payload of one step of a job, as its queue carries it. */
export interface StepPayload {
  readonly jobId: string;
  /** Fencing token: a step with another token than the row is refused. */
  readonly dispatch: number;
  /** The step may have ended a worker process, so it runs in a process of its own. */
  readonly suspect?: true | undefined;
}

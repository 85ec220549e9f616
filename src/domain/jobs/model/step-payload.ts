/** The payload of one step of a job, as its queue carries it. */

/** Payload of one step of a job. */
export interface StepPayload {
  readonly jobId: string;
  /** Fencing token: a step with another token than the row is refused. */
  readonly dispatch: number;
  /** The step may have ended a worker process, so it runs in a process of its own. */
  readonly suspect?: true | undefined;
}

/** The member of a step's payload that says whether it is suspect. */
export function suspicionOf(suspect: boolean): Pick<StepPayload, 'suspect'> {
  return suspect ? { suspect } : {};
}

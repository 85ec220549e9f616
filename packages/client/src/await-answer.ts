/** Asks for what a job of the system finds, until it has found it. */
import { LONG_POLL_SECONDS, PROGRESS_SECONDS, type WaitOptions } from './jobs.js';
import type { Operations } from './operations.js';
import type { CallOptions } from './transport.js';

/** That the job has not ended. */
interface Running {
  readonly jobId: string;
}

/**
 * @param ask is answered with the job while it runs, and with an object that has the member when it has ended
 * @throws LongshoreError when it has failed
 */
export async function awaitAnswer<Answer extends object, Member extends string>(
  api: Operations,
  ask: (options: CallOptions) => Promise<Answer | Running>,
  member: Member,
  { onProgress, ...call }: WaitOptions,
): Promise<Extract<Answer, Readonly<Record<Member, unknown>>>> {
  type Found = Extract<Answer, Readonly<Record<Member, unknown>>>;
  const isFound = (answer: Answer | Running): answer is Found => member in answer;
  for (;;) {
    const answer = await ask({ wait: onProgress === undefined ? LONG_POLL_SECONDS : PROGRESS_SECONDS });
    if (isFound(answer)) return answer;
    if (onProgress !== undefined && 'jobId' in answer) onProgress(await api.getJob({ id: answer.jobId }, call));
  }
}

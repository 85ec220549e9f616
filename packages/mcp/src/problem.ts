/** What goes wrong in a tool, and how an assistant is told. */

import { LongshoreError } from '@longshore/client';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

interface ProblemFacts {
  readonly code: string;
  /** What to do about it, as a sentence. */
  readonly advice?: string | undefined;
  /** Members that the answer has besides. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A mistake that is found here, and not by the system. */
export class ToolProblem extends Error {
  override readonly name = 'ToolProblem';
  readonly code: string;
  readonly advice: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, { code, advice, details = {} }: ProblemFacts) {
    super(message);
    this.code = code;
    this.advice = advice;
    this.details = details;
  }
}

/** A failure, with what an assistant has to know besides to go on. */
export class FailedWith extends Error {
  override readonly name = 'FailedWith';
  readonly details: Readonly<Record<string, unknown>>;

  constructor(cause: unknown, details: Readonly<Record<string, unknown>>) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.details = details;
  }
}

/** What to do about an error of access, in the words of the program that was started; undefined: nothing is known. */
export type Advise = (error: unknown) => string | undefined;

const MAX_PROBLEMS = 20;

const ADVICE: Readonly<Record<string, string>> = {
  CURSOR_GONE: 'Call catalog_changes without since for the present cursor; look at items with find_items.',
  UNDECIDED:
    'Ask the user, or decide by what the readings say, and call propose_file with "decisions": the column, and the value of a reading.',
  DECISION_INVALID: 'Take the column and the value of a reading from the questions of inspect_file.',
};

/** The answer of a tool that has failed: a sentence, and the same as JSON. */
export function problemAnswer(error: unknown, advise: Advise): CallToolResult {
  const problem = factsOf(error, advise);
  const { code, message, advice } = problem;
  const sentence = `${code}: ${message.replace(/\.$/, '')}.${advice === undefined ? '' : ` ${advice.replace(/\.?$/, '.')}`}`;
  return {
    isError: true,
    content: [
      { type: 'text', text: sentence },
      { type: 'text', text: JSON.stringify({ error: problem }) },
    ],
  };
}

interface Problem {
  readonly code: string;
  readonly message: string;
  readonly advice?: string | undefined;
  readonly [more: string]: unknown;
}

function factsOf(error: unknown, advise: Advise): Problem {
  if (error instanceof FailedWith) return { ...factsOf(error.cause, advise), ...error.details };
  if (error instanceof ToolProblem) {
    const { code, message, advice, details } = error;
    return { code, message, advice, ...details };
  }
  if (error instanceof LongshoreError) {
    const { code, message, status, problems, requestId, retryAfterSeconds } = error;
    const more = problems.length - MAX_PROBLEMS;
    return {
      code,
      message,
      advice: adviceOf(error) ?? advise(error),
      status,
      ...(problems.length === 0 ? {} : { problems: problems.slice(0, MAX_PROBLEMS) }),
      ...(more > 0 ? { moreProblems: more } : {}),
      requestId,
      retryAfterSeconds,
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'UNEXPECTED', message, advice: 'The log of this server, on standard error, says where it happened' };
}

function adviceOf({ code, message, status, retryAfterSeconds, problems }: LongshoreError): string | undefined {
  if (ADVICE[code] !== undefined) return ADVICE[code];
  if (problems.some(({ path, message }) => `${path} ${message}`.includes('requireApproval'))) {
    return 'The system is of a version that cannot hold changes for approval, so that nothing can be proposed to it: nothing was changed';
  }
  if (status === 403 && message.includes('names an account that is not')) {
    return 'The account of this server is not that of its token. Ask the user to start it with the account of the token';
  }
  if (status === 403 && /does not have the scope|belongs to no account/.test(message)) {
    return 'The token of this server lacks a scope: reading needs catalog:read, proposing catalog:propose or catalog:write. Ask the user for another token';
  }
  if (status === 404)
    return 'Look for what there is with find_items, find_definitions or find_jobs; it may belong to another stage';
  if (status === 410) return 'It is not kept any more';
  if (status === 429 || status === 503) {
    return `Call again ${retryAfterSeconds === undefined ? 'later' : `after ${retryAfterSeconds} seconds`}`;
  }
  return undefined;
}

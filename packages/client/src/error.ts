/** The one error of the client: a request was refused, or no answer came. */

/** One thing that is wrong with a request. */
export interface Problem {
  /** Of a bulk request: which of its rows it concerns, the first is 0. */
  readonly index?: number;
  /** The field, as `options.mode`, or the column. */
  readonly path?: string;
  readonly code?: string;
  readonly message: string;
}

interface ErrorFacts {
  readonly code: string;
  readonly status: number;
  readonly request: string;
  readonly problems: readonly Problem[];
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly body: unknown;
}

export class LongshoreError extends Error {
  override readonly name = 'LongshoreError';
  /** What the API calls the error (`REQUEST_INVALID`, `NOT_FOUND`), `HTTP_<status>`, or of the client: `NETWORK`, `BLOCKED`, `NOT_JSON`. */
  readonly code: string;
  /** The HTTP status; 0: there was no answer. */
  readonly status: number;
  /** The method and the path. */
  readonly request: string;
  /** All that is wrong, as the API reported it. */
  readonly problems: readonly Problem[];
  /** By which operators find the request in their logs. */
  readonly requestId: string | undefined;
  /** After how many seconds the API asks to try again. */
  readonly retryAfterSeconds: number | undefined;
  /** The answer's body: parsed if it is JSON. */
  readonly body: unknown;

  constructor(message: string, facts: Partial<ErrorFacts> & Pick<ErrorFacts, 'code'>, options?: ErrorOptions) {
    super(message, options);
    this.code = facts.code;
    this.status = facts.status ?? 0;
    this.request = facts.request ?? '';
    this.problems = facts.problems ?? [];
    this.requestId = facts.requestId;
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.body = facts.body;
  }

  /** The problems of each row of a bulk request, by the row's index. */
  problemsByRow(): ReadonlyMap<number, readonly Problem[]> {
    const rows = new Map<number, Problem[]>();
    for (const problem of this.problems) {
      if (problem.index === undefined) continue;
      const known = rows.get(problem.index);
      if (known === undefined) rows.set(problem.index, [problem]);
      else known.push(problem);
    }
    return rows;
  }
}

/** The error that an answer other than 2xx is. The areas of the API have bodies of different shapes. */
export async function errorOf(response: Response, request: string): Promise<LongshoreError> {
  const text = await response.text().catch(() => '');
  const body = parsed(text);
  const fields = isRecord(body) ? body : {};
  const code = textOf(fields.code) ?? textOf(fields.type) ?? textOf(fields.error) ?? `HTTP_${response.status}`;
  const message =
    textOf(fields.message) ??
    textOf(fields.error_description) ??
    // The page of a proxy or of another server is no message.
    (/^text\/plain\b/.test(response.headers.get('content-type') ?? '') && text !== '' ? text : response.statusText);
  const detail = response.headers.get('x-error-detail');
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new LongshoreError(
    `${request} was answered ${response.status}: ${message}${detail === null ? '' : ` (${detail})`}`,
    {
      code,
      status: response.status,
      request,
      problems: Array.isArray(fields.errors) ? fields.errors.filter(isRecord).map(problemOf) : [],
      requestId: response.headers.get('x-request-id') ?? undefined,
      retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
      body,
    },
  );
}

function problemOf({ index, path, code, type, message }: Record<string, unknown>): Problem {
  const name = textOf(code) ?? textOf(type);
  return {
    ...(typeof index === 'number' ? { index } : {}),
    ...(typeof path === 'string' ? { path } : {}),
    ...(name === undefined ? {} : { code: name }),
    message: textOf(message) ?? '',
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

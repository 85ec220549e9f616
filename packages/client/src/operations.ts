/** The operations of the API as functions, typed by its description: `client.getJob({ id })`. */
import { LongshoreError } from './error.js';
import { OPERATIONS } from './generated/operations.js';
import type { operations } from './generated/types.js';
import { type CallOptions, type ClientOptions, type OperationFacts, sendOperation } from './transport.js';

/** The ids of all operations. */
export type OperationName = keyof typeof OPERATIONS & keyof operations;

type Known<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>;

/** Lists and numbers of a query may be given as such. */
type QueryValues<Q> = { [K in keyof Q]: string extends Q[K] ? Q[K] | number | readonly (string | number)[] : Q[K] };

type PathOf<O> = O extends { parameters: { path: infer P extends object } } ? P : unknown;
type QueryOf<O> = O extends { parameters: { query?: infer Q } } ? Known<QueryValues<NonNullable<Q>>> : unknown;
type BodyOf<O> = O extends { requestBody: { content: infer C } }
  ? { body: 'application/octet-stream' extends keyof C ? BodyInit : C[keyof C] }
  : 'requestBody' extends keyof O
    ? O extends { requestBody?: { content: infer C } }
      ? { body?: C[keyof C] }
      : unknown
    : unknown;

/** The values of a request: the parameters of its path and its query, and its `body`. */
export type InputOf<N extends OperationName> = PathOf<operations[N]> & QueryOf<operations[N]> & BodyOf<operations[N]>;

type ContentOf<R> = R extends { content: infer C }
  ? 'application/json' extends keyof C
    ? C['application/json']
    : Response
  : undefined;

/** What an operation answers: JSON, parsed; a `Response` if it answers a file or a page. */
export type AnswerOf<N extends OperationName> = {
  [S in keyof operations[N]['responses']]: ContentOf<operations[N]['responses'][S]>;
}[keyof operations[N]['responses']];

type ArgumentsOf<N extends OperationName> =
  Record<never, never> extends InputOf<N>
    ? [input?: InputOf<N>, options?: CallOptions]
    : [input: InputOf<N>, options?: CallOptions];

/** One function for each operation. @throws LongshoreError */
export type Operations = { readonly [N in OperationName]: (...given: ArgumentsOf<N>) => Promise<AnswerOf<N>> };

/** @throws LongshoreError when it is something else: a page of another server, for example */
async function jsonOf(response: Response, { method, path }: OperationFacts): Promise<unknown> {
  try {
    return await response.json();
  } catch (cause) {
    const request = `${method} ${path}`;
    if (!(cause instanceof SyntaxError)) {
      throw new LongshoreError(`${request} got half an answer`, { code: 'NETWORK', request }, { cause });
    }
    const type = response.headers.get('content-type') ?? 'a body of no type';
    const facts = { code: 'NOT_JSON', status: response.status, request };
    throw new LongshoreError(`${request} was answered ${response.status} with ${type}, not with JSON`, facts, {
      cause,
    });
  }
}

/** The operations, as functions of a client. */
export function operationsOf(client: ClientOptions): Operations {
  const call = async (facts: OperationFacts, input: object = {}, options: CallOptions = {}): Promise<unknown> => {
    const response = await sendOperation(client, facts, input as Record<string, unknown>, options);
    return facts.answer === 'application/json' ? jsonOf(response, facts) : response;
  };
  const functions = Object.entries(OPERATIONS).map(([name, facts]) => [
    name,
    (input?: object, options?: CallOptions) => call(facts, input, options),
  ]);
  // The types are those of the same description from which the table was generated.
  return Object.fromEntries(functions) as Operations;
}

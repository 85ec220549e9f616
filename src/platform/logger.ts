/**
 * Structured logs: one JSON line per event. ERROR means that an operator must act. Errors are logged without what they
 * quote: rows, values, and the arguments of commands, which may be personal data or secrets.
 */
import { type DestinationStream, type Logger, pino } from 'pino';
import { LogStream } from './log-stream.js';

export type { Logger };

/**
 * Creates a logger to standard error, so that standard output stays free for the output of a command.
 * @param destination another destination, for tests
 */
export function createLogger(name: string, level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: { process: name },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: describeError },
    },
    destination ?? standardError(),
  );
}

let onStandardError: LogStream | undefined;

function standardError(): LogStream {
  if (onStandardError !== undefined) return onStandardError;
  const stream = new LogStream(2);
  process.on('exit', () => stream.flushSync());
  onStandardError = stream;
  return stream;
}

/**
 * Logs what nothing has caught, and ends the process as Node does. Node itself would print every member of the error.
 * @param end ends the process with exit code 1
 */
export function logUncaught(logger: Logger, end: () => void): void {
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'the process met a fault that nothing has caught, and ends');
    end();
  });
}

/**
 * The members of errors that say where and why, and quote nothing. Others do: Postgres has the whole row in `detail` and
 * `where`, ioredis the arguments of the command, such as a password, and Node the text that is no URL.
 */
const TELLING = [
  ...['code', 'errno', 'syscall', 'hostname', 'address', 'port', 'path', 'statusCode', 'status', 'reason', 'kind'],
  ...['severity', 'schema', 'table', 'column', 'dataType', 'constraint', 'routine', 'position', 'hint'],
] as const;

interface DescribedError {
  readonly type: string;
  readonly message: string;
  readonly stack: string;
  readonly [member: string]: unknown;
}

/** How many errors deep causes and parts are described. */
const DEEPEST = 5;

/** What is logged of an error. */
export function describeError(error: unknown, depth = 0): DescribedError {
  if (!(error instanceof Error))
    return { type: typeof error, message: 'something was thrown that is no error', stack: '' };
  const { type, message, frames } = partsOf(error);
  const members = TELLING.flatMap((name) => {
    const value: unknown = Reflect.get(error, name);
    return typeof value === 'string' || typeof value === 'number' ? [[name, value] as const] : [];
  });
  const inner = (found: unknown) => describeError(found, depth + 1);
  const goesOn = depth < DEEPEST;
  return {
    type,
    message,
    stack: `${type}: ${message}${frames}`,
    ...Object.fromEntries(members),
    ...(goesOn && error.cause instanceof Error ? { cause: inner(error.cause) } : {}),
    ...(goesOn && error instanceof AggregateError ? { errors: error.errors.slice(0, DEEPEST).map(inner) } : {}),
    ...(goesOn && 'nativeError' in error ? { nativeError: inner(error.nativeError) } : {}),
  };
}

/** SQLSTATE of values that are malformed or out of range: the message quotes them. */
const QUOTING_STATE = /^22/;
/** The message of V8 about a text that is no JSON, which it quotes. */
const QUOTING_MESSAGE = /^Unexpected|is not valid JSON/;

function partsOf(error: Error): { type: string; message: string; frames: string } {
  const { message } = error;
  const type = error.constructor.name || error.name;
  const frames = framesOf(error);
  const quotes = error instanceof SyntaxError ? QUOTING_MESSAGE.test(message) : QUOTING_STATE.test(codeOf(error));
  if (!quotes) return { type, message, frames };
  const statement = statementOf(message);
  const said = message.slice(statement.length).replace(/["'][\s\S]*["']/, '"…"');
  return { type, message: statement + said, frames };
}

/** What knex puts before a message of Postgres, none of which begins with such a word. */
const STATEMENT = /^\s*(?:with|select|insert|update|delete|merge|copy|lock|alter|create|drop|listen|begin|commit)\b/i;
/** How messages begin that quote a value. */
const SAID =
  / - (?=(?:invalid |value "|malformed |date\/time |time zone "|interval out|unsupported |cannot |bit string|"))/g;

/** The statement before the message, with its dash. It is rather cut short than followed by the beginning of a value. */
function statementOf(message: string): string {
  if (!STATEMENT.test(message)) return '';
  const ends = [...message.matchAll(SAID)].map(({ index }) => message.slice(0, index + 3));
  // The names in a statement are quoted in pairs; a value that is cut in two leaves one quotation mark.
  const known = ends.find((statement) => statement.split('"').length % 2 === 1);
  return known ?? message.slice(0, message.indexOf(' - ') + 3);
}

/** The stack without the message: that with which the error was made, or, where sources are mapped, the present one. */
function framesOf({ message, stack = '' }: Error): string {
  const began = stack.slice(stack.indexOf(': ') + 2);
  const parts = [...message.matchAll(/ - /g)].map(({ index }) => message.slice(index + 3));
  const text = [message, ...parts].find((part) => part !== '' && began.startsWith(part));
  return text === undefined ? (/(?:\n {4}at .*)*$/.exec(stack)?.[0] ?? '') : began.slice(text.length);
}

/** The error of the driver, which objection wraps. */
function nativeOf(error: Error): Error {
  return 'nativeError' in error && error.nativeError instanceof Error ? error.nativeError : error;
}

function codeOf(error: Error): string {
  const native = nativeOf(error);
  return 'code' in native && typeof native.code === 'string' ? native.code : '';
}

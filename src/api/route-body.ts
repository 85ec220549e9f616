/** Reads a request's body in the form that its route declares. */
import type { IncomingMessage } from 'node:http';
import type { Context, Middleware } from 'koa';
import { HttpMethodEnum, koaBody } from 'koa-body';
import { z } from 'zod';
import { describeRepeated, lossesOf } from '../domain/formats/json/exact-json.js';
import { describeJsonFault } from '../domain/formats/json/json-fault.js';
import { keepOpaque } from '../domain/kernel/opaque-json.js';
import type { BodyBudget, BodyLease } from './body-budget.js';
import { declaredLength, readBodyBytes, tooLarge, watchRate } from './body-bytes.js';
import type { BodySpec } from './define-route.js';
import { ClientGone, HttpProblem } from './http-problem.js';
import { checkJsonText, isStorableText } from './json-text.js';
import { singleHeader } from './request-headers.js';
import { inviteBody } from './server.js';
import { validate } from './validate.js';

const DEFAULT_MAX_BYTES = 1_048_576;
const FORM_MAX_BYTES = 16_384;

interface RouteBody {
  /** The value that is passed to the route's handler. */
  readonly body: unknown;
  /** The body as it was sent, decompressed; undefined if there is none or the route streams it. */
  readonly bytes: Buffer | undefined;
}

const NO_BODY: RouteBody = { body: undefined, bytes: undefined };

/**
 * Reads, decodes and checks a body. Its bytes count against the budget until the response has ended.
 * @param holder whose share of the budget they are
 * @throws HttpProblem 400, 408, 413, 415; DomainError invalid (schema) or unavailable (budget); ClientGone
 */
export async function readRouteBody(
  ctx: Context,
  spec: BodySpec | undefined,
  budget: BodyBudget,
  holder: string,
): Promise<RouteBody> {
  if (spec === undefined) return readNoFields(ctx, budget, holder);
  // A route that streams its body calls `inviteBody` itself, after its own checks.
  if ('raw' in spec && spec.raw === 'stream') return NO_BODY;
  if ('form' in spec) {
    if (hasBody(ctx.req)) requireMediaType(ctx.req, 'form');
    const bytes = await readSmall(ctx, budget, { holder, maxBytes: FORM_MAX_BYTES });
    return { body: validate(spec.form, decodeForm(bytes), 'body'), bytes };
  }
  if (!hasBody(ctx.req)) {
    if ('schema' in spec && spec.required === false) return NO_BODY;
    throw new HttpProblem(400, 'BODY_REQUIRED', 'this operation needs a JSON body');
  }
  requireMediaType(ctx.req, 'json');
  if ('raw' in spec) {
    inviteBody(ctx.req, ctx.res);
    const { bytes, lease } = await readBodyBytes(ctx.req, budget, { holder, maxBytes: spec.maxBytes });
    releaseWhenDone(ctx, lease);
    return { body: bytes, bytes };
  }
  const bytes = await readSmall(ctx, budget, { holder, maxBytes: spec.maxBytes ?? DEFAULT_MAX_BYTES });
  return { body: validate(spec.schema, decodeJson(bytes, spec.opaque), 'body'), bytes };
}

const NO_FIELDS = z.strictObject({});

/**
 * The body of a route that has none: nothing or an empty object, because fields would be ignored. That of a GET has no
 * meaning (RFC 9110 §9.3.1).
 */
async function readNoFields(ctx: Context, budget: BodyBudget, holder: string): Promise<RouteBody> {
  if (ctx.method === 'GET' || ctx.method === 'HEAD' || !hasBody(ctx.req)) return NO_BODY;
  requireMediaType(ctx.req, 'json');
  const bytes = await readSmall(ctx, budget, { holder, maxBytes: DEFAULT_MAX_BYTES });
  validate(NO_FIELDS, decodeJson(bytes), 'body');
  return { body: undefined, bytes };
}

interface SmallBody {
  readonly holder: string;
  readonly maxBytes: number;
}

async function readSmall(ctx: Context, budget: BodyBudget, limits: SmallBody): Promise<Buffer> {
  inviteBody(ctx.req, ctx.res);
  // What a compressed body becomes is counted while it is decompressed, which koa-body would do out of sight.
  const { bytes, lease } =
    ctx.req.headers['content-encoding'] === 'gzip'
      ? await readBodyBytes(ctx.req, budget, { ...limits, deadlineMs: BODY_TIMEOUT_MS })
      : await readSmallBody(ctx, budget, limits);
  releaseWhenDone(ctx, lease);
  return bytes;
}

/** `close` is emitted once, after the response was sent or the connection was lost. */
function releaseWhenDone(ctx: Context, lease: BodyLease): void {
  if (ctx.res.closed) lease.release();
  else ctx.res.once('close', lease.release);
}

// Small bodies (JSON, forms): koa-body reads them, and we check UTF-8, storable text and nesting

/** A small body that takes longer than this is refused. */
const BODY_TIMEOUT_MS = 60_000;

const readers = new Map<number, Middleware>();

/**
 * koa-body would replace malformed UTF-8 silently. With the encoding `binary`, one character for each byte, the bytes
 * stay as they are, and are decoded below.
 */
function readerFor(maxBytes: number): Middleware {
  const known = readers.get(maxBytes);
  if (known !== undefined) return known;
  const reader = koaBody({
    json: false,
    urlencoded: false,
    multipart: false,
    text: true,
    textTypes: ['*/*'],
    parsedMethods: Object.values(HttpMethodEnum),
    textLimit: maxBytes,
    encoding: 'binary',
  });
  readers.set(maxBytes, reader);
  return reader;
}

/** Reads a whole small body. @throws HttpProblem 400, 408, 413; DomainError unavailable (budget); ClientGone */
async function readSmallBody(
  ctx: Context,
  budget: BodyBudget,
  { holder, maxBytes }: SmallBody,
): Promise<{ bytes: Buffer; lease: BodyLease }> {
  const { req } = ctx;
  // The events of a client that left before we listen are lost.
  if (req.destroyed) throw new ClientGone();
  if ((declaredLength(req) ?? 0) > maxBytes) throw tooLarge(maxBytes);
  let refuse: (error: unknown) => void = () => undefined;
  const refused = new Promise<never>((_, reject) => {
    refuse = reject;
  });
  const lease = budget.lease(holder, refuse);
  const late = watchRate(req, { deadlineMs: BODY_TIMEOUT_MS }, refuse);
  const onData = (chunk: Buffer): void => {
    try {
      lease.grow(chunk.length);
    } catch (error) {
      refuse(error);
    }
  };
  // The event is emitted once, so the listener needs no removal.
  req.once('close', () => {
    if (!req.readableEnded) refuse(new ClientGone());
  });
  try {
    const read = readerFor(maxBytes)(ctx, async () => {});
    req.on('data', onData);
    await Promise.race([read, refused]);
    lease.complete();
  } catch (error) {
    lease.release();
    // The reader would collect the rest, which is no longer counted.
    req.removeAllListeners('data');
    throw translated(error, maxBytes);
  } finally {
    late.stop();
    req.off('data', onData);
  }
  const text: unknown = ctx.request.body;
  return { bytes: Buffer.from(typeof text === 'string' ? text : '', 'latin1'), lease };
}

/** Bytes as text. @throws HttpProblem 400 when they are not UTF-8 */
function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new HttpProblem(400, 'BODY_NOT_UTF8', 'the body is not UTF-8');
  }
}

/**
 * Bytes as JSON.
 * @param opaque a member that becomes OpaqueJson: what is in it may be given twice
 * @throws HttpProblem 400: not UTF-8, not JSON, nested too deeply, a member given twice, a number that would be rounded,
 *   or text that cannot be stored
 * @internal exported for tests
 */
export function decodeJson(bytes: Buffer, opaque?: string): unknown {
  const text = decodeUtf8(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HttpProblem(400, 'BODY_NOT_JSON', `the body is not JSON: ${describeJsonFault(text)}`);
  }
  checkJsonText(value);
  const losses = lossesOf(text, value);
  const repeated = losses.repeated.filter(({ within }) => !isWithin(within, opaque));
  if (repeated.length > 0) {
    const message = `the body has members that are given more than once: ${describeRepeated(repeated)}; give each once`;
    throw new HttpProblem(400, 'DUPLICATE_MEMBER', message);
  }
  const [rounded] = losses.rounded.filter(({ at }) => !isWithin(at, opaque));
  if (rounded !== undefined) {
    const message = `the number ${rounded.text.slice(0, 60)} (${rounded.at.slice(0, 100)}) cannot be kept as it is written: write one of at most 15 digits`;
    throw new HttpProblem(400, 'NUMBER_NOT_EXACT', message);
  }
  if (opaque !== undefined) keepOpaque(value, text, opaque);
  return value;
}

function translated(error: unknown, maxBytes: number): unknown {
  if (!(error instanceof Error)) return error;
  if ('type' in error && error.type === 'entity.too.large') return tooLarge(maxBytes);
  if ('type' in error && error.type === 'request.aborted') return new ClientGone();
  return error;
}

// Forms: application/x-www-form-urlencoded

/** Fields by name. @throws HttpProblem 400 when a field is malformed or repeated (RFC 6749 §3.2 forbids that) */
function decodeForm(bytes: Buffer): Record<string, string> {
  const fields = new Map<string, string>();
  for (const pair of decodeUtf8(bytes).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodeField(equals < 0 ? pair : pair.slice(0, equals));
    if (fields.has(name)) throw new HttpProblem(400, 'FIELD_REPEATED', `the form contains the field ${name} twice`);
    fields.set(name, equals < 0 ? '' : decodeField(pair.slice(equals + 1)));
  }
  return Object.fromEntries(fields);
}

/** @throws HttpProblem 400 */
function decodeField(text: string): string {
  const decoded = decodePercent(text.replaceAll('+', ' '));
  if (decoded === null || !isStorableText(decoded)) {
    throw new HttpProblem(400, 'FORM_MALFORMED', 'the form contains malformed percent-encoding');
  }
  return decoded;
}

/** Null when the text is malformed. */
export function decodePercent(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

// Media types, charsets and encodings that are accepted

const JSON_TYPE = /^application\/(?:json|[a-z0-9!#$&^_.+-]+\+json)$/;
const FORM_TYPE = /^application\/x-www-form-urlencoded$/;
const UTF8 = /^(?:utf-?8|us-ascii)$/i;

/** Whether a request has a body. A request without one needs no media type. */
function hasBody(request: IncomingMessage): boolean {
  if (request.headers['transfer-encoding'] !== undefined) return true;
  return Number(request.headers['content-length'] ?? 0) > 0;
}

/** @throws HttpProblem 415 that says what is accepted */
function requireMediaType(request: IncomingMessage, kind: 'json' | 'form'): void {
  const header = singleHeader(request, 'content-type') ?? '';
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim());
  const wanted = kind === 'json' ? JSON_TYPE : FORM_TYPE;
  if (!wanted.test(type.toLowerCase())) {
    const name = kind === 'json' ? 'application/json' : 'application/x-www-form-urlencoded';
    const got = header === '' ? 'none was sent' : `got ${header.slice(0, 100)}`;
    throw new HttpProblem(415, 'UNSUPPORTED_MEDIA_TYPE', `Content-Type must be ${name}, ${got}`, { Accept: name });
  }
  const charset = parameters
    .find((parameter) => /^charset=/i.test(parameter))
    ?.slice('charset='.length)
    .replaceAll('"', '');
  if (charset !== undefined && !UTF8.test(charset)) {
    throw new HttpProblem(415, 'UNSUPPORTED_CHARSET', `the charset must be utf-8, got ${charset.slice(0, 50)}`);
  }
  requireKnownEncoding(request);
}

/** Bodies may be uncompressed or gzipped. RFC 9110 §12.5.3 asks to name what is accepted. */
function requireKnownEncoding(request: IncomingMessage): void {
  const encoding = singleHeader(request, 'content-encoding')?.toLowerCase();
  if (encoding === undefined || encoding === 'identity' || encoding === 'gzip') {
    // The readers compare with the lowercase name.
    if (encoding !== undefined) request.headers['content-encoding'] = encoding;
    return;
  }
  throw new HttpProblem(415, 'UNSUPPORTED_ENCODING', 'Content-Encoding must be gzip or absent', {
    'Accept-Encoding': 'gzip',
  });
}

/** Whether a place, such as `[0].payload.a`, lies in the member of this name of the body, or of one of its elements. */
function isWithin(place: string, member: string | undefined): boolean {
  if (member === undefined) return false;
  const [first] = place.replace(/^\[\d+\]\.?/, '').split(/[.[]/);
  return first === member;
}

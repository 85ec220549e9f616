/** One request to the API and all of its response, with the headers that the caller asks for. */
import type { TestApi } from '../worlds/test-api.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as JSON; its text where it is none; undefined where there is no body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came, and fail where it is not there
  readonly body: any;
  readonly text: string;
  readonly bytes: Buffer;
}

export interface ApiRequest {
  /** Sent as JSON; bytes and text as they are. */
  readonly body?: unknown;
  /** Undefined leaves a header out. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export async function callApi(
  api: Pick<TestApi, 'fetch'>,
  method: string,
  path: string,
  { body, headers }: ApiRequest,
): Promise<Answer> {
  const sent = { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers };
  const response = await api.fetch(path, {
    method,
    headers: Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ...(body === undefined ? {} : { body: bytesOf(body) }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString('utf8');
  return { status: response.status, headers: response.headers, bytes, text, body: jsonOrText(text) };
}

function bytesOf(body: unknown): string | Buffer<ArrayBuffer> {
  if (body instanceof Uint8Array) return Buffer.from(body);
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function jsonOrText(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

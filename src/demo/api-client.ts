/** A small client of the API, with what a program needs to use Longshore. */

export interface ApiAccess {
  readonly baseUrl: string;
  /** The account's id. */
  readonly account: string;
  readonly token: string;
  /** The stage; each stage of an account is a separate data set. */
  readonly stage: string;
}

/** The API answered a request with an error. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly request: string,
    readonly status: number,
    readonly body: string,
  ) {
    super(`${request} was answered ${status}: ${body}`);
  }
}

interface Answer<T> {
  readonly status: number;
  readonly body: T;
}

export class ApiClient {
  readonly #access: ApiAccess;

  constructor(access: ApiAccess) {
    this.#access = access;
  }

  /** @throws ApiError */
  async get<T>(path: string, query: Readonly<Record<string, string | number>> = {}): Promise<T> {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) search.set(name, String(value));
    const response = await this.#send('GET', search.size > 0 ? `${path}?${search}` : path);
    return (await response.json()) as T;
  }

  /** @throws ApiError */
  async post<T>(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer<T>> {
    const response = await this.#send('POST', path, body, headers);
    return { status: response.status, body: (await response.json()) as T };
  }

  /** For requests that answer a file. A byte order mark is removed. @throws ApiError */
  async postForText(path: string, body: unknown): Promise<string> {
    return (await this.#send('POST', path, body)).text();
  }

  async #send(
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const { baseUrl, account, token, stage } = this.#access;
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        'x-site-context': JSON.stringify({ account, stage }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return successful(response, `${method} ${path}`);
  }
}

/** Uploads bytes to a signed URL, which contains a signature and needs no token. @throws ApiError */
export async function upload(location: string, bytes: string | Uint8Array): Promise<void> {
  const response = await successful(await fetch(location, { method: 'PUT', body: bytes }), 'PUT to the upload URL');
  await response.body?.cancel();
}

/** Downloads a text from a signed URL. A byte order mark is removed. @throws ApiError */
export async function download(location: string): Promise<string> {
  return (await successful(await fetch(location), 'GET of the download URL')).text();
}

async function successful(response: Response, request: string): Promise<Response> {
  if (response.ok) return response;
  throw new ApiError(request, response.status, await response.text());
}

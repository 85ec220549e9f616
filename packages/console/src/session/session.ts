/** Who is logged in: a token, or the code of a link, is exchanged for a session whose cookie no script can read. */
import { BASE } from '../base.js';
import { tellWindows } from './expiry.js';

export interface Stage {
  readonly name: string;
  /** Whether customers see it. */
  readonly live: boolean;
  /** null: nothing was written to it yet. */
  readonly createdAt: string | null;
}

export interface Session {
  readonly id: string;
  readonly accountId: string;
  /** As operators have named it. */
  readonly accountName: string;
  readonly tokenId: string;
  /** Of the token: the person, or what it is for. */
  readonly name: string;
  readonly role: string | null;
  readonly scopes: readonly string[];
  readonly createdAt: string;
  readonly idleExpiresAt: string;
  readonly expiresAt: string;
  readonly stages: readonly Stage[];
}

export type Credentials =
  | { readonly token: string }
  /** `replace`: the session of somebody else ends. */
  | { readonly code: string; readonly replace?: boolean }
  /** What the identity provider has added to the address of the page. */
  | { readonly callback: string; readonly account?: string };

/** Why there is no session. */
export class SessionRefused extends Error {
  override readonly name = 'SessionRefused';

  constructor(
    readonly status: number,
    message: string,
    /** Such as OTHER_SESSION. */
    readonly code = '',
    readonly problems: readonly { readonly path: string; readonly message: string }[] = [],
  ) {
    super(message);
  }
}

const ADDRESS = `${BASE}/api/v2/session`;

/** @returns undefined when nobody is logged in @throws SessionRefused when the API does not answer as it should */
export async function currentSession(): Promise<Session | undefined> {
  const answer = await asked('GET');
  return answer.status === 401 ? undefined : sessionOf(answer);
}

/** @throws SessionRefused */
export async function logIn(credentials: Credentials): Promise<Session> {
  const session = await sessionOf(await asked('POST', credentials));
  tellWindows('entered');
  return session;
}

/** @returns the address at the identity provider where one logs in @throws SessionRefused */
export async function beginAtProvider(): Promise<string> {
  const answer = await asked('POST', undefined, `${ADDRESS}/provider`);
  if (!answer.ok) throw await refusalOf(answer);
  return ((await answer.json()) as { readonly address: string }).address;
}

/** @throws SessionRefused */
export async function logOut(): Promise<void> {
  const answer = await asked('DELETE');
  if (!answer.ok && answer.status !== 401) throw await refusalOf(answer);
  tellWindows('left');
}

async function asked(method: string, body?: unknown, address = ADDRESS): Promise<Response> {
  const init: RequestInit = { method, credentials: 'same-origin', cache: 'no-store' };
  if (body !== undefined)
    Object.assign(init, { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } });
  try {
    return await fetch(address, init);
  } catch (cause) {
    throw new SessionRefused(0, String(cause));
  }
}

async function sessionOf(answer: Response): Promise<Session> {
  if (!answer.ok) throw await refusalOf(answer);
  return (await answer.json()) as Session;
}

async function refusalOf(answer: Response): Promise<SessionRefused> {
  const body = (await answer.json().catch(() => ({}))) as Partial<Record<'message' | 'code' | 'errors', unknown>>;
  const message = typeof body.message === 'string' ? body.message : answer.statusText;
  const problems = Array.isArray(body.errors) ? (body.errors as SessionRefused['problems']) : [];
  return new SessionRefused(answer.status, message, String(body.code ?? ''), problems);
}

/** Who it is, also with another token: one that was revoked is replaced by one with the same name. */
export function personOf({ accountId, name }: Pick<Session, 'accountId' | 'name'>): string {
  return `${accountId}.${encodeURIComponent(name)}`;
}

/** Whether a session may do what needs this scope. The API refuses what it may not do all the same. */
export function mayDo({ scopes }: Session, scope: string): boolean {
  return scopes.includes(scope);
}

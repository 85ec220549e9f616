/** The API with an identity provider, and browsers that log in by it. */
import assert from 'node:assert/strict';
import { createAccount } from '../../../src/domain/access/accounts.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { cookieIn } from '../http/browser-session.js';
import { type Answer, callApi } from '../http/call-api.js';
import { startTestApi, type TestApi } from './test-api.js';
import { CLIENT, logInAt, startTestProvider, type TestProvider } from './test-provider.js';

export interface ProviderWorld {
  readonly api: TestApi;
  readonly provider: TestProvider;
  /** Two accounts; the groups `shop-<role>` have roles in the first, `other-editors` in the second, `gone` in none that exists. */
  readonly accounts: readonly [string, string];
  stop(): Promise<void>;
}

/** @param environment over what the provider needs */
export async function startProviderWorld(environment: Readonly<Record<string, string>> = {}): Promise<ProviderWorld> {
  let api: TestApi | undefined;
  const provider = await startTestProvider(() => `${api?.url}/console/login`);
  const accounts = [newId(), newId()] as const;
  api = await startTestApi({ environment: { ...providerEnvironment(provider.issuer, accounts), ...environment } });
  await createAccount(api.db, { id: accounts[0], name: 'Shop' });
  await createAccount(api.db, { id: accounts[1], name: 'Another shop' });
  const { stop } = api;
  return {
    ...{ api, provider, accounts },
    stop: async () => {
      await stop();
      await provider.stop();
    },
  };
}

export function providerEnvironment(
  issuer: string,
  [first, second]: readonly [string, string],
): Record<string, string> {
  const roles = ['viewer', 'editor', 'approver', 'owner'].map((role) => [`shop-${role}`, { account: first, role }]);
  const others = {
    'other-editors': { account: second, role: 'editor' },
    everywhere: [first, second].map((account) => ({ account, role: 'viewer' })),
    gone: { account: newId(), role: 'owner' },
  };
  return {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    OIDC_NAME: 'Company Login',
    OIDC_ROLES: JSON.stringify({ ...Object.fromEntries(roles), ...others }),
  };
}

/** Begins a login as a page of the console does. */
export function beginLogin(api: TestApi, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return callApi(api, 'POST', '/api/v2/session/provider', { headers: { origin: api.url, ...headers } });
}

/** Begins a login, and logs in at the provider. @returns the cookie of the browser, and the query with which it comes back */
export async function comeBack(
  api: TestApi,
  user: string,
): Promise<{ readonly cookie: string; readonly callback: string }> {
  const begun = await beginLogin(api);
  assert.equal(begun.status, 200, begun.text);
  return { cookie: cookieIn(begun), callback: await logInAt(begun.body.address, user) };
}

/** The whole way of a browser. @returns the answer to the login */
export async function logInBy(api: TestApi, user: string, account?: string): Promise<Answer> {
  const { cookie, callback } = await comeBack(api, user);
  return exchange(api, cookie, { callback, ...(account === undefined ? {} : { account }) });
}

export function exchange(api: TestApi, cookie: string | undefined, body: unknown): Promise<Answer> {
  return callApi(api, 'POST', '/api/v2/session', { body, headers: { origin: api.url, cookie } });
}

/** The headers of requests in the session that an answer has begun. */
export function inSession(api: TestApi, answer: Answer): Record<string, string> {
  assert.equal(answer.status, 200, answer.text);
  return { cookie: cookieIn(answer), origin: api.url };
}

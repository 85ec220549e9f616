/** The variables of the identity provider: what is accepted, and what an operator is told of what is not. */
import assert from 'node:assert/strict';
import { ConfigError, loadConfig } from '../../../src/config/config.js';

const ACCOUNT = '0123456789abcdef01234567';
const NEEDED = {
  DATABASE_URL: 'postgres://localhost/x',
  SECRETS_KEY: 'a key of at least thirty-two characters',
};
const PROVIDER = {
  OIDC_ISSUER: 'https://login.example.com/realms/shop',
  OIDC_CLIENT_ID: 'longshore',
  OIDC_CLIENT_SECRET: 'secret',
  OIDC_ROLES: JSON.stringify({ editors: { account: ACCOUNT, role: 'editor' } }),
};

describe('the variables of the identity provider', () => {
  const load = (over: Readonly<Record<string, string>>) => loadConfig({ ...NEEDED, ...over }).provider;

  it('are none, or all that are needed', () => {
    assert.equal(load({}), undefined);
    const provider = load(PROVIDER);
    assert.deepEqual(
      { ...provider, roles: [...(provider?.roles ?? [])] },
      {
        issuer: PROVIDER.OIDC_ISSUER,
        clientId: 'longshore',
        clientSecret: 'secret',
        name: 'login.example.com',
        scopes: 'openid profile email',
        groupsClaim: 'groups',
        roles: [['editors', [{ account: ACCOUNT, role: 'editor' }]]],
      },
    );
    for (const name of Object.keys(PROVIDER)) {
      assert.throws(() => load({ ...PROVIDER, [name]: '' }), new RegExp(`${name}: is not set; a login by an identity`));
    }
    assert.throws(() => load({ OIDC_NAME: 'Company Login' }), /OIDC_ISSUER: is not set/);
  });

  it('name a provider by HTTPS, or on this machine', () => {
    for (const issuer of ['https://login.example.com', 'http://localhost:8080', 'http://127.0.0.1:1', 'http://[::1]:1'])
      assert.equal(load({ ...PROVIDER, OIDC_ISSUER: issuer })?.issuer, issuer);
    for (const issuer of [
      'http://login.example.com',
      'http://127.0.0.1.example.com',
      'http://10.0.0.1',
      'https://x.example.com/?a=b',
      'https://u:p@x.example.com',
      'ftp://127.0.0.1',
      'login.example.com',
    ])
      assert.throws(() => load({ ...PROVIDER, OIDC_ISSUER: issuer }), ConfigError, issuer);
  });

  it('say which group has which role, and which entry is wrong', () => {
    const both = { a: [{ account: ACCOUNT, role: 'owner' }], 'CN=b,OU="x"': { account: ACCOUNT, role: 'viewer' } };
    assert.deepEqual(
      [...(load({ ...PROVIDER, OIDC_ROLES: JSON.stringify(both) })?.roles.keys() ?? [])],
      Object.keys(both),
    );
    for (const [roles, said] of [
      ['editors=editor', /OIDC_ROLES: expected JSON such as .*Unexpected token/],
      ['[]', /OIDC_ROLES: expected JSON such as .*; wrong: it is no object whose members are groups$/],
      ['null', /; wrong: it is no object whose members are groups$/],
      [{ '': { account: ACCOUNT, role: 'owner' } }, /a group has an empty name$/],
      [{ a: { account: ACCOUNT, role: 'admin' } }, /wrong at "a/],
      [{ a: { account: 'Shop', role: 'owner' } }, /wrong at "a/],
      [{ a: { account: ACCOUNT, role: 'owner', stage: 'x' } }, /wrong at "a/],
      [{ a: [] }, /wrong at "a/],
    ] as const) {
      const text = typeof roles === 'string' ? roles : JSON.stringify(roles);
      assert.throws(() => load({ ...PROVIDER, OIDC_ROLES: text }), said);
    }
  });
});
